package android

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
)

var _ drivers.Services = (*Driver)(nil)

// OpenService opens a service of a phone. The connection lives no longer than ctx.
func (d *Driver) OpenService(ctx context.Context, id, name string) (io.ReadWriteCloser, error) {
	c, err := d.srv.device(id).service(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open %s of %s: %w", label(name), id, err)
	}
	return c, nil
}

// Features are those that the adbd of a phone offers.
func (d *Driver) Features(ctx context.Context, id string) ([]string, error) {
	answer, err := d.srv.device(id).query(ctx, "features")
	if err != nil {
		return nil, fmt.Errorf("features of %s: %w", id, err)
	}
	return strings.Split(strings.TrimSpace(answer), ","), nil
}
