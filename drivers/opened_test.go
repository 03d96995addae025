package drivers_test

import (
	"errors"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

type closer struct {
	closed int
	err    error
	forget func()
}

func (c *closer) Close() error {
	c.closed++
	c.forget()
	return c.err
}

func TestOpened(t *testing.T) {
	t.Parallel()
	var open drivers.Opened
	broken := errors.New("broken")
	left, gone, late := &closer{err: broken}, &closer{}, &closer{}
	for _, c := range []*closer{left, gone} {
		var ok bool
		if c.forget, ok = open.Add(c); !ok {
			t.Fatal("not taken")
		}
	}
	gone.forget()
	if err := open.Close(); !errors.Is(err, broken) || left.closed != 1 || gone.closed != 0 {
		t.Errorf("%v, closed %d and %d times", err, left.closed, gone.closed)
	}
	forget, ok := open.Add(late)
	if ok {
		t.Error("taken after the end")
	}
	forget()
	if err := open.Close(); err != nil || left.closed != 1 {
		t.Errorf("%v, closed %d times", err, left.closed)
	}
}
