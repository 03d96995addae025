package android

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

func TestIdentify(t *testing.T) {
	t.Parallel()
	d, _ := openPhone(t, androidsim.Options{})
	if id, err := d.Identify(t.Context()); id != nil || err != nil {
		t.Errorf("before anything was launched: %+v, %v", id, err)
	}
	if err := d.Launch(t.Context(), androidsim.LoginPackage, true); err != nil {
		t.Fatal(err)
	}
	if id, err := d.Identify(t.Context()); err != nil || id == nil ||
		*id != (drivers.Identity{ID: androidsim.LoginPackage, Version: "1.0"}) {
		t.Errorf("%+v, %v", id, err)
	}
}
