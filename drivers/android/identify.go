package android

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
)

var versionName = lazyregexp.New(`(?m)^\s+versionName=(\S[^\r\n]*)`)

// Identify queries the package manager for the version of the app that was launched last.
func (w *watcher) Identify(ctx context.Context) (*drivers.Identity, error) {
	pkg := w.app.launched().pkg
	if pkg == "" {
		return nil, nil
	}
	o, err := w.phone.run(ctx, command{name: "dumpsys package", readOnly: true, line: "dumpsys package " + pkg})
	if err != nil {
		return nil, err
	}
	id := &drivers.Identity{ID: pkg}
	if m := versionName.FindSubmatch(o.out); m != nil {
		id.Version = shorten.Bytes(string(m[1]), 100)
	}
	return id, nil
}
