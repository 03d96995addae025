package drivers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

func TestBound(t *testing.T) {
	t.Parallel()
	over := errors.New("over")
	for range 1000 { // what is reported from another goroutine comes too late now and then
		life, end := context.WithCancelCause(t.Context())
		end(over)
		ctx, free := drivers.Bound(t.Context(), life)
		if ctx.Err() == nil || !errors.Is(context.Cause(ctx), over) {
			t.Fatalf("under a life that is over: %v, cause %v", ctx.Err(), context.Cause(ctx))
		}
		free()
	}

	life, end := context.WithCancelCause(t.Context())
	ctx, free := drivers.Bound(t.Context(), life)
	defer free()
	end(over)
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), over) {
		t.Errorf("ended by its life: %v", context.Cause(ctx))
	}

	caller, stop := context.WithCancelCause(t.Context())
	ctx, free = drivers.Bound(caller, t.Context())
	defer free()
	stop(over)
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), over) {
		t.Errorf("ended by its caller: %v", context.Cause(ctx))
	}
}
