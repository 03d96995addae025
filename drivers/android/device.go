package android

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"image"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const (
	tempDir    = "/data/local/tmp/"
	tempPrefix = "taproot-"
	closeLimit = 8 * time.Second
)

// Device is one phone, opened for one test.
type Device struct {
	link    *link
	info    drivers.Info
	log     *slog.Logger
	session string            // makes the names of our files on the device unique
	segment int               // seconds of a part of a recording
	probe   time.Duration     // how long a recording is watched before it counts as started
	glass   image.Point       // size of the panel, which differs from info's where that is overridden
	notes   string            // the directory of notes on what to restore; "" means the user's cache
	life    *drivers.Lifetime // its goroutines are those of logs and recordings

	shots captureCosts // knows what screenshots and trees cost

	mu         sync.Mutex
	made       int                 // files named so far
	files      map[string]struct{} // of ours on the device
	pids       map[int]struct{}    // of our processes on the device that closing a connection does not end well
	input      string              // how input is given: "cmd input" or "input"; "" until known
	shot       image.Point         // size of the last screenshot
	shotLen    int                 // its bytes, to read the next one in one piece
	display    string              // screencap's name of the display, where there are several; "" is its first one
	chosen     bool                // the display was looked for
	oneWindow  bool                // this device's dumps of all windows cannot be read
	allWindows bool                // they have been read
	rawBad     bool                // this device's raw screenshots cannot be read
	debts      restoreState        // what the phone has to get back
	shade      bool                // the notifications were opened
	mocked     bool                // test providers give its location
	watching   watched             // the app that was launched last
	logged     *logStream          // the log that was started last
	agentFiles agentOptions        // where the agent would come from
	agent      *agentAccess        // reads and touches the screen; nil: the phone's own tools do
	reads      string              // the sentence that says what does
	aim        *screen.Node        // that the next touch is meant for
	buttons    []image.Rectangle   // of the dialog that was looked at last
	webViews   webViews            // reads their pages; one call at a time uses it
	warnings   []string            // that were not taken yet
}

var (
	_ drivers.Device   = (*Device)(nil)
	_ drivers.Apps     = (*Device)(nil)
	_ drivers.Pixels   = (*Device)(nil)
	_ drivers.Keyboard = (*Device)(nil)
	_ drivers.Recorder = (*Device)(nil)
	_ drivers.Logger   = (*Device)(nil)
)

func open(ctx context.Context, l *link, log *slog.Logger, notes string, agent agentOptions) (*Device, error) {
	state, err := l.state(ctx)
	if l.srv.friends.know(l.serial) && (errors.Is(err, drivers.ErrDeviceLost) || state == "offline") {
		l.srv.bringBack(ctx, []string{l.serial})
		state, err = l.state(ctx)
	}
	if err != nil {
		return nil, err
	}
	l.srv.friends.meet(l.serial)
	if state != drivers.Ready {
		return nil, l.notReady(state)
	}
	p, err := describe(ctx, l)
	if err != nil {
		return nil, err
	}
	d := &Device{
		link: l, log: log.With("device", l.serial), info: p.info(attachment{id: l.serial, serial: l.serial}),
		session: strings.ToLower(rand.Text()[:10]),
		segment: segmentSeconds, probe: recordingProbe, glass: p.panel, notes: notes,
		files: map[string]struct{}{}, pids: map[int]struct{}{}, life: drivers.NewLifetime(),
	}
	if err := d.prepare(ctx); err != nil {
		d.life.End()
		return nil, err
	}
	d.restoreLeftovers(ctx)
	d.agentFiles = agent
	if err := d.chooseWay(ctx, agent); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// prepare clears away what killed sessions left (with the lease no other process works on this phone), wakes the
// display and takes a lock without a secret away.
func (d *Device) prepare(ctx context.Context) error {
	var clear sync.WaitGroup
	clear.Go(func() { d.clearLeftovers(ctx) })
	locked := d.unlock(ctx)
	clear.Wait()
	if ctx.Err() != nil {
		return d.link.fault(ctx, "open", ctx.Err())
	}
	state, err := d.link.state(ctx)
	switch {
	case err != nil:
		return err
	case state != drivers.Ready:
		return d.link.notReady(state)
	}
	return locked
}

func (d *Device) clearLeftovers(ctx context.Context) {
	var old []string
	for name := range strings.FieldsSeq(d.link.queryOptional(ctx, command{name: "ls", line: "ls " + tempDir})) {
		if strings.HasPrefix(name, tempPrefix) && !strings.Contains(name, "/") {
			old = append(old, tempDir+name)
		}
	}
	if len(old) == 0 {
		return
	}
	d.log.Info("removing what an earlier session left", "files", len(old))
	for names := range slices.Chunk(old, 30) {
		d.link.queryOptional(ctx, command{name: "rm", line: "rm -f " + shellescape.QuoteCommand(names)})
	}
}

// Info is the record made when the device was opened.
func (d *Device) Info() drivers.Info { return d.info }

// PixelsAreCheap is true where uiautomator returns the trees: a raw screenshot takes a tenth of what a dump takes, and
// twice what an agent does.
func (d *Device) PixelsAreCheap() bool {
	_, stock := d.backend().(stockAccess)
	return stock
}

// run runs one command on the device, unless it is closed.
func (d *Device) run(ctx context.Context, cmd command) (output, error) {
	ctx, cancel := drivers.Bound(ctx, d.life)
	defer cancel()
	return d.link.run(ctx, cmd)
}

// stream starts a command that continues after the call, until the device is closed. Only its beginning is bound to
// ctx.
func (d *Device) stream(ctx context.Context, cmd command) (*process, error) {
	ctx, done := context.WithTimeoutCause(ctx, commandLimit, d.link.tooSlow(cmd.name, commandLimit))
	defer done()
	life, end := context.WithCancelCause(d.life)
	untie := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	p, err := d.link.start(life, cmd.line)
	if !untie() && err == nil {
		p.close()
		err = context.Cause(ctx)
	}
	if err != nil {
		err = d.link.fault(life, cmd.name, err)
		end(drivers.ErrClosed)
		return nil, err
	}
	p.end = func() { end(drivers.ErrClosed) }
	return p, nil
}

// tempFile names a file on the device which Close removes if it is still there.
func (d *Device) tempFile(ext string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made++
	name := fmt.Sprintf("%s%s%s-%d%s", tempDir, tempPrefix, d.session, d.made, ext)
	d.files[name] = struct{}{}
	return name
}

// removed says that a file is gone from the device.
func (d *Device) removed(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, name)
}

// Close ends the logs and recordings that still run, takes our files off the device and restores what was changed on
// it. A device that is lost cannot be cleaned now; that is not an error, and what it has to get back is noted for the
// next Open.
func (d *Device) Close() error {
	if d.life.Err() == nil {
		farewell, done := context.WithTimeout(context.Background(), agentFarewell)
		d.leaveAgent(farewell)
		done()
	}
	if !d.life.End() {
		return nil
	}
	d.closeWebViews()

	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	var err error
	if line := d.cleaning(); line != "" {
		_, err = d.link.run(ctx, command{name: "clean up", line: line, limit: closeLimit})
	}
	d.mu.Lock()
	indebted := len(d.debts.lines()) > 0
	d.mu.Unlock()
	if indebted {
		err = errors.Join(err, d.restore(ctx))
	}
	if errors.Is(err, drivers.ErrDeviceLost) {
		d.log.Warn("device lost before it was cleaned", "error", err)
		return nil
	}
	return err
}

// cleaning is one line that undoes what this session has left on the device.
func (d *Device) cleaning() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var lines []string
	for pid := range d.pids {
		lines = append(lines, "kill -2 "+strconv.Itoa(pid))
	}
	if len(d.files) > 0 {
		var names []string
		for name := range d.files {
			names = append(names, name)
		}
		slices.Sort(names)
		lines = append(lines, "rm -f "+shellescape.QuoteCommand(names))
	}
	if d.shade {
		lines = append(lines, "cmd statusbar collapse")
	}
	return strings.Join(lines, "; ")
}
