package drivers

import "context"

// Bound returns a context that ends with ctx or with life, whichever is first; its cause is theirs. Under a life that
// is ended already, it has ended when Bound returns. The function releases its resources and must be called.
func Bound(ctx, life context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if life.Err() != nil { // context.AfterFunc would report it from another goroutine, after the caller has started
		cancel(context.Cause(life))
		return ctx, func() {}
	}
	untie := context.AfterFunc(life, func() { cancel(context.Cause(life)) })
	return ctx, func() { untie(); cancel(nil) }
}
