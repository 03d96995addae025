package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/internal/order"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// home downloads the pack of a case.
func (f *Farm) home(ctx context.Context, t run.Attempt, e order.Ended) (string, error) {
	if e.Error != "" {
		return "", errors.New(e.Error)
	}
	dir := filepath.Join(t.Spool, fmt.Sprintf("home-%d", e.Attempt))
	err := f.call(ctx, Request{Method: http.MethodGet, Path: fmt.Sprintf("runs/%s/packs/%d-%d", f.id, e.N, e.Attempt),
		Take: func(r io.Reader) error {
			if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
				return &final{err}
			}
			came := &trackedReader{Reader: r}
			err := upload.Unpack(ctx, dir, came, upload.Limits{Archive: 4 << 30, Bytes: 8 << 30, File: 4 << 30, Files: 100_000,
				Ratio: 2000, Events: 1 << 30, Depth: 32})
			if err != nil && came.err == nil { // the download was complete, so the cause is here: another one would fail, too
				return &final{fmt.Errorf("save the pack from the hub: %w", err)}
			}
			return err
		}})
	pack := filepath.Join(dir, t.Case.Pack)
	if err != nil || t.Keep == nil {
		return pack, err
	}
	var k run.Kept
	left, err := order.Take(f.key, pack, &k)
	if left && err == nil {
		t.Keep(k)
	}
	return pack, err
}

// trackedReader records the error that ended a download.
type trackedReader struct {
	io.Reader
	err error // nil: it did not
}

func (c *trackedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}
