package fleet_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/fleet"
)

type closer struct {
	*drivers.Lifetime
	closed int
	err    error
}

func (c *closer) Close() error {
	c.closed++
	c.End()
	return c.err
}

func TestOpened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var open fleet.Open
		broken := errors.New("broken")
		left, gone, late := &closer{Lifetime: drivers.NewLifetime(), err: broken}, &closer{Lifetime: drivers.NewLifetime()},
			&closer{Lifetime: drivers.NewLifetime()}
		for _, c := range []*closer{left, gone} {
			if !open.Add(c, c) {
				t.Fatal("not taken")
			}
		}
		gone.End()
		synctest.Wait()
		if err := open.Close(); !errors.Is(err, broken) || left.closed != 1 || gone.closed != 0 {
			t.Errorf("%v, closed %d and %d times", err, left.closed, gone.closed)
		}
		if open.Add(late, late) {
			t.Error("taken after the end")
		}
		synctest.Wait()
		if err := open.Close(); err != nil || left.closed != 1 || late.closed != 0 {
			t.Errorf("%v, closed %d and %d times", err, left.closed, late.closed)
		}
	})
}
