package android

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
)

const (
	tempDir    = "/data/local/tmp/"
	tempPrefix = "taproot-"
)

// phone is one phone while it is open: how its shell is reached, and what it has to be rid of in the end.
type phone struct {
	link    *link
	info    drivers.Info
	log     *slog.Logger
	life    *drivers.Lifetime // its goroutines are those of logs and recordings
	session string            // makes the names of our files on the phone unique
	glass   image.Point       // size of the panel, which differs from info's where that is overridden

	mu       sync.Mutex
	made     int                 // files named so far
	files    map[string]struct{} // of ours on the phone
	pids     map[int]struct{}    // of our processes on the phone that closing a connection does not end well
	shade    bool                // the notifications were opened
	shot     image.Point         // size of the last screenshot
	warnings []string            // that were not taken yet
}

// newPhone returns the phone behind a link, as it describes itself.
func newPhone(ctx context.Context, l *link, log *slog.Logger) (*phone, error) {
	p, err := describe(ctx, l)
	if err != nil {
		return nil, err
	}
	return &phone{link: l, log: log.With("device", l.serial), info: p.info(attachment{id: l.serial, serial: l.serial}),
		session: strings.ToLower(rand.Text()[:10]), glass: p.panel, files: map[string]struct{}{}, pids: map[int]struct{}{},
		life: drivers.NewLifetime()}, nil
}

func (p *phone) clearLeftovers(ctx context.Context) {
	var old []string
	for name := range strings.FieldsSeq(p.link.queryOptional(ctx, command{name: "ls", line: "ls " + tempDir})) {
		if strings.HasPrefix(name, tempPrefix) && !strings.Contains(name, "/") {
			old = append(old, tempDir+name)
		}
	}
	if len(old) == 0 {
		return
	}
	p.log.Info("removing what an earlier session left", "files", len(old))
	for names := range slices.Chunk(old, 30) {
		p.link.queryOptional(ctx, command{name: "rm", line: "rm -f " + shellescape.QuoteCommand(names)})
	}
}

// run runs one command on the device, unless it is closed.
func (p *phone) run(ctx context.Context, cmd command) (output, error) {
	ctx, cancel := drivers.Bound(ctx, p.life)
	defer cancel()
	return p.link.run(ctx, cmd)
}

// stream starts a command that continues after the call, until the device is closed. Only its beginning is bound to
// ctx.
func (p *phone) stream(ctx context.Context, cmd command) (*process, error) {
	ctx, done := context.WithTimeoutCause(ctx, commandLimit, p.link.tooSlow(cmd.name, commandLimit))
	defer done()
	life, end := context.WithCancelCause(p.life)
	untie := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	running, err := p.link.start(life, cmd.line)
	if !untie() && err == nil {
		running.close()
		err = context.Cause(ctx)
	}
	if err != nil {
		err = p.link.fault(life, cmd.name, err)
		end(drivers.ErrClosed)
		return nil, err
	}
	running.end = func() { end(drivers.ErrClosed) }
	return running, nil
}

// tempFile names a file on the device which Close removes if it is still there.
func (p *phone) tempFile(ext string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made++
	name := fmt.Sprintf("%s%s%s-%d%s", tempDir, tempPrefix, p.session, p.made, ext)
	p.files[name] = struct{}{}
	return name
}

// removed says that a file is gone from the device.
func (p *phone) removed(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.files, name)
}

// processStarted notes a process on the phone which Close stops if it still runs.
func (p *phone) processStarted(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pids[pid] = struct{}{}
}

// processEnded says that a process is gone from the phone.
func (p *phone) processEnded(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pids, pid)
}

// shadeOpened notes that Close has to put up the shade of the notifications.
func (p *phone) shadeOpened() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shade = true
}

// cleaning is one line that undoes what this session has left on the device.
func (p *phone) cleaning() string {
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
