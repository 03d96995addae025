package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bridge forwards the messages of a client over stdio to a server at a URL (streamable HTTP), and back, until the
// client's input or the session ends. If key is not empty, every request carries it.
func Bridge(ctx context.Context, address, key string, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	far, err := (&mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: keyed{key}},
		DisableStandaloneSSE: true}).Connect(ctx)
	if err != nil {
		return fmt.Errorf("connect with %s: %w", address, err)
	}
	near := newStdio(in, out, slog.New(slog.DiscardHandler), cancel)
	if _, err := near.Connect(ctx); err != nil {
		return errors.Join(err, far.Close())
	}
	ended := make(chan error, 2)
	go func() { ended <- pump(ctx, near, far) }()
	go func() { ended <- pump(ctx, far, near) }()
	err = <-ended
	cancel()
	_ = near.Close() // the input may still be open
	closed := far.Close()
	<-ended
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) { // the client disconnected, which is the normal end
		return nil
	}
	return errors.Join(err, closed)
}

func pump(ctx context.Context, from, to mcp.Connection) error {
	for {
		m, err := from.Read(ctx)
		if err == nil {
			err = to.Write(ctx, m)
		}
		if err != nil {
			return err
		}
	}
}

// keyed adds a key to every request.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	if k.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+k.key)
	}
	return http.DefaultTransport.RoundTrip(r)
}
