// Package phone holds one phone while it is open: its shell, its record, its lock, and what it must be rid of in the
// end.
package phone

import (
	"context"
	"crypto/rand"
	"fmt"
	"image"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	TempDir    = "/data/local/tmp/"
	TempPrefix = "taproot-"
)

// Phone is one phone while it is open: how its shell is reached, and what it has to be rid of in the end.
type Phone struct {
	Link    *adb.Link
	Info    drivers.Info
	Log     *slog.Logger
	Life    *drivers.Lifetime // its goroutines are those of logs and recordings
	session string            // makes the names of our files on the phone unique
	Glass   image.Point       // size of the panel, which differs from info's where that is overridden

	warnings phrase.Warnings

	mu    sync.Mutex
	made  int                 // files named so far
	files map[string]struct{} // of ours on the phone
	pids  map[int]struct{}    // of our processes on the phone that closing a connection does not end well
	shade bool                // the notifications were opened
	Shot  image.Point         // size of the last screenshot
}

// Open returns the phone behind a link, as it describes itself.
func Open(ctx context.Context, l *adb.Link, log *slog.Logger) (*Phone, error) {
	p, err := Describe(ctx, l)
	if err != nil {
		return nil, err
	}
	return &Phone{Link: l, Log: log.With("device", l.Serial), Info: p.Info(adb.Attachment{ID: l.Serial, Serial: l.Serial}),
		session: strings.ToLower(rand.Text()[:10]), Glass: p.panel, files: map[string]struct{}{}, pids: map[int]struct{}{},
		Life: drivers.NewLifetime()}, nil
}

func (p *Phone) ClearLeftovers(ctx context.Context) {
	var old []string
	for name := range strings.FieldsSeq(p.Link.QueryOptional(ctx, adb.Command{Name: "ls", Line: "ls " + TempDir})) {
		if strings.HasPrefix(name, TempPrefix) && !strings.Contains(name, "/") {
			old = append(old, TempDir+name)
		}
	}
	if len(old) == 0 {
		return
	}
	p.Log.Info("removing what an earlier session left", "files", len(old))
	for names := range slices.Chunk(old, 30) {
		p.Link.QueryOptional(ctx, adb.Command{Name: "rm", Line: "rm -f " + shellescape.QuoteCommand(names)})
	}
}

// Run runs one command on the device, unless it is closed.
func (p *Phone) Run(ctx context.Context, cmd adb.Command) (adb.Output, error) {
	ctx, cancel := drivers.Bound(ctx, p.Life)
	defer cancel()
	return p.Link.Run(ctx, cmd)
}

// Stream starts a command that continues after the call, until the device is closed. Only its beginning is bound to
// ctx.
func (p *Phone) Stream(ctx context.Context, cmd adb.Command) (*adb.Process, error) {
	ctx, done := context.WithTimeoutCause(ctx, adb.CommandLimit, p.Link.TooSlow(cmd.Name, adb.CommandLimit))
	defer done()
	life, end := context.WithCancelCause(p.Life)
	untie := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	running, err := p.Link.Start(life, cmd.Line)
	if !untie() && err == nil {
		running.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		err = p.Link.Fault(life, cmd.Name, err)
		end(drivers.ErrClosed)
		return nil, err
	}
	running.End = func() { end(drivers.ErrClosed) }
	return running, nil
}

// TempFile names a file on the device which Close removes if it is still there.
func (p *Phone) TempFile(ext string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made++
	name := fmt.Sprintf("%s%s%s-%d%s", TempDir, TempPrefix, p.session, p.made, ext)
	p.files[name] = struct{}{}
	return name
}

// Removed says that a file is gone from the device.
func (p *Phone) Removed(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.files, name)
}

// ProcessStarted notes a process on the phone which Close stops if it still runs.
func (p *Phone) ProcessStarted(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pids[pid] = struct{}{}
}

// ProcessEnded says that a process is gone from the phone.
func (p *Phone) ProcessEnded(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pids, pid)
}

// ShadeOpened notes that Close has to put up the shade of the notifications.
func (p *Phone) ShadeOpened() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shade = true
}

// Cleaning is one line that undoes what this session has left on the device.
func (p *Phone) Cleaning() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for pid := range p.pids {
		lines = append(lines, "kill -2 "+strconv.Itoa(pid))
	}
	if len(p.files) > 0 {
		var names []string
		for name := range p.files {
			names = append(names, name)
		}
		slices.Sort(names)
		lines = append(lines, "rm -f "+shellescape.QuoteCommand(names))
	}
	if p.shade {
		lines = append(lines, "cmd statusbar collapse")
	}
	return strings.Join(lines, "; ")
}

// ScreenSize is that of the last screenshot, or the natural one before there was any, or zero.
func (p *Phone) ScreenSize() image.Point {
	if shot := p.LastShot(); shot != (image.Point{}) {
		return shot
	}
	return image.Pt(p.Info.Width, p.Info.Height)
}

// LastShot is the size of the last screenshot, zero before there was any since the screen was turned.
func (p *Phone) LastShot() image.Point {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Shot
}

// SetShot notes the size of a screenshot.
func (p *Phone) SetShot(size image.Point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Shot = size
}
