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
	c, err := (&link{srv: d.srv, serial: id}).service(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open %s of %s: %w", label(name), id, err)
	}
	return rawConn{c}, nil
}

// Features are those that the adbd of a phone offers.
func (d *Driver) Features(ctx context.Context, id string) ([]string, error) {
	answer, err := (&link{srv: d.srv, serial: id}).query(ctx, "features")
	if err != nil {
		return nil, fmt.Errorf("features of %s: %w", id, err)
	}
	return strings.Split(strings.TrimSpace(answer), ","), nil
}

// rawConn is a connection that carries the bytes of a service alone.
type rawConn struct{ c *conn }

func (r rawConn) Read(p []byte) (int, error)  { return r.c.r.Read(p) }
func (r rawConn) Write(p []byte) (int, error) { return r.c.nc.Write(p) }
func (r rawConn) Close() error                { r.c.Close(); return nil }
