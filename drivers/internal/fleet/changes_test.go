package fleet_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/fleet"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	var now []drivers.Info
	var err error
	var seen []int
	list := func(context.Context) ([]drivers.Info, error) { return slices.Clone(now), err }
	note := func(infos []drivers.Info) { seen = append(seen, len(infos)) }
	look, first := fleet.Changes(t.Context(), list, note)
	if first != nil {
		t.Fatal(first)
	}
	one := []drivers.Info{{ID: "one"}}
	for i, step := range []struct {
		list []drivers.Info
		err  error
		want []int
	}{
		{nil, nil, []int{0}},
		{one, nil, []int{0, 1}},
		{one, nil, []int{0, 1}},
		{nil, broken, []int{0, 1}}, // a list that cannot be had is not a change
		{one, nil, []int{0, 1}},
		{nil, nil, []int{0, 1, 0}},
	} {
		now, err = step.list, step.err
		if got := look(); !errors.Is(got, step.err) || !slices.Equal(seen, step.want) {
			t.Errorf("step %d: %v, seen %v", i, got, seen)
		}
	}
}

func TestChangesWithoutAFirstList(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	list := func(context.Context) ([]drivers.Info, error) { return nil, broken }
	seen := func([]drivers.Info) { t.Error("a list") }
	if _, err := fleet.Changes(t.Context(), list, seen); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	over, end := context.WithCancel(t.Context())
	end()
	if _, err := fleet.Changes(over, list, seen); err != nil {
		t.Errorf("nobody watches any more: %v", err)
	}
}
