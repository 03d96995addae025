package shared

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/taproot-dev/taproot/internal/blob"
)

// UnavailableError means that the bucket cannot be reached, or refuses a request.
type UnavailableError struct{ error }

func (e *UnavailableError) Unwrap() error { return e.error }

// bucket marks the errors of a bucket, to distinguish them from those of this machine.
type bucket struct{ b blob.Bucket }

func unavailable(err error) error {
	if err == nil || errors.Is(err, blob.ErrNotFound) || errors.Is(err, context.Canceled) {
		return err
	}
	return &UnavailableError{err}
}

func (b bucket) Put(ctx context.Context, name string, f *os.File) error {
	return unavailable(b.b.Put(ctx, name, f))
}

func (b bucket) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := b.b.Get(ctx, name)
	return r, unavailable(err)
}

func (b bucket) List(ctx context.Context, prefix string) ([]string, error) {
	names, err := b.b.List(ctx, prefix)
	return names, unavailable(err)
}

func (b bucket) Delete(ctx context.Context, name string) error {
	return unavailable(b.b.Delete(ctx, name))
}
