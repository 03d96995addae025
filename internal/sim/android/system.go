package androidsim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	xdraw "golang.org/x/image/draw"

	"github.com/taproot-dev/taproot/internal/screenpng"
)

// system is Android's system server: what the phone shows, and what commands, apps and the agent change. Its lock
// guards all of it, so that a tree and a screenshot agree.
type system struct {
	*kernel
	opts Options
	prof profile

	mu       sync.Mutex // guards everything below
	settings settings
	props    map[string]string
	packages map[string]*installed
	ui       *screen
	panel    *touchPanel
	night    string
	location mockLocation
	media    map[string]int // the index of media: path to id
	sensors  sensors
	dumping  bool // a uiautomator is running, or an agent
}

func newSystem(o Options, k *kernel) *system {
	s := &system{kernel: k, opts: o, prof: o.profile(), night: "no", media: map[string]int{},
		settings: defaultSettings(), packages: map[string]*installed{},
		location: mockLocation{providers: map[string]bool{}, places: map[string][2]float64{}},
		sensors:  sensors{acceleration: [3]float64{0, 9.77622, 0.813417}}}
	s.props = defaultProps(s.opts, s.prof)
	s.ui = newScreen(s)
	s.panel = &touchPanel{mu: &s.mu, opts: o, ui: s.ui}
	return s
}

// boot shows the launcher.
func (p *system) boot() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.boot()
}

// stopTimers ends what was to happen later.
func (p *system) stopTimers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.stopTimers()
}

// restart ends all processes, and calls back after a while: then the phone has started again.
func (p *system) restart(takes time.Duration, back func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pr := range p.procs.list() {
		if pr.kill != nil {
			pr.kill(sigKILL)
		}
	}
	for pkg := range p.ui.apps {
		if pkg != launcherPackage {
			p.ui.remove(pkg)
		}
	}
	p.ui.home()
	p.ui.guard.locked = p.opts.Lock != Unlocked
	p.ui.later(takes, back)
}

// install puts an app on the phone.
func (p *system) install(a *installed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.uid == 0 {
		a.uid = 10200 + len(p.packages)
	}
	p.packages[a.name] = a
}

// remotePage is a page that shows what another process draws, which is requested before the screen is read.
type remotePage interface {
	// renewImage requests its image again, hear its elements. The phone's lock is not held.
	renewImage()
	hear()
}

// remote is the foreground page if it is one of these.
func (p *system) remote() (remotePage, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	page, ok := p.ui.top().page.(remotePage)
	return page, ok
}

// renewImage renews the image of the foreground page.
func (p *system) renewImage() {
	if page, ok := p.remote(); ok {
		page.renewImage()
	}
}

// hearPage renews the accessibility nodes of the foreground page.
func (p *system) hearPage() {
	if page, ok := p.remote(); ok {
		page.hear()
	}
}

// shown is the image on the screen.
func (p *system) shown() *image.RGBA {
	p.renewImage()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ui.picture(time.Now())
}

// tree is the tree on the screen, read without waiting for anything.
func (p *system) tree() string {
	p.hearPage()
	p.mu.Lock()
	defer p.mu.Unlock()
	return dumpActive(p.ui.frame(time.Now()), p.dumper(false))
}

// forbidden reports whether a window on the screen forbids screenshots.
func (p *system) forbidden() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.ui.frame(time.Now()).windows, func(w *window) bool { return w.secure })
}

// captured is the screenshot without what apps protect from screenshots.
func (p *system) captured() *image.RGBA {
	p.renewImage()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.pictured = true
	f := p.ui.frame(time.Now())
	p.ui.pictured = false
	f.captured = true
	return p.ui.draw.frame(f)
}

// glass is what screencap sees.
func (p *system) glass() *image.RGBA {
	img := p.captured()
	if !p.opts.WholeGlass {
		return img
	}
	whole := image.NewRGBA(image.Rect(0, 0, p.opts.Width, p.opts.Height))
	if img.Rect.Dx() > img.Rect.Dy() {
		whole = image.NewRGBA(image.Rect(0, 0, p.opts.Height, p.opts.Width))
	}
	xdraw.ApproxBiLinear.Scale(whole, whole.Rect, img, img.Rect, xdraw.Src, nil)
	return whole
}

// changeKey changes whenever the image does.
func (p *system) changeKey(now time.Time) (string, image.Point) {
	p.renewImage()
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.ui.frame(now)
	var b strings.Builder
	for _, w := range f.windows {
		w.root.walk(func(v *view) {
			b.WriteString(v.class + v.shown() + v.b.String() + strconv.Itoa(v.version))
			if v.focused {
				b.WriteString("|" + strconv.FormatInt(now.UnixMilli()/500, 10))
			}
			for _, part := range v.painted {
				b.WriteString(part.b.String())
			}
		})
	}
	return b.String(), f.size
}

// mainDisplay is the id of the glass that shows Android's display 0.
func (p *system) mainDisplay() string {
	if p.opts.Folded {
		return outsideID
	}
	return displayID
}

// encode converts an image to what screencap writes: PNG, or a header of 12 bytes (16 from API 28) and RGBA pixels.
func (p *system) encode(img *image.RGBA, asPNG bool) []byte {
	if asPNG {
		var b bytes.Buffer
		if err := screenpng.Encode(&b, img); err != nil {
			return nil // a buffer takes everything
		}
		return b.Bytes()
	}
	size := img.Rect.Size()
	head := []uint32{uint32(size.X), uint32(size.Y), 1}
	if p.prof.api >= 28 {
		head = append(head, 0)
	}
	out := make([]byte, 0, len(img.Pix)+16)
	for _, v := range head {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return append(out, img.Pix...)
}

// content is what accessibility services receive, structure, texts and states, and the instant at which it was so.
func (p *system) content() (string, time.Time) {
	p.hearPage()
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	now := time.Now()
	f := p.ui.frame(now)
	if w := f.active(); w != nil {
		w.root.walk(func(v *view) {
			fmt.Fprintf(&b, "%s|%s|%s|%t|%t|%t\n", v.class, v.shown(), v.desc, v.checked, v.focused, v.disabled)
		})
	}
	return b.String(), now
}

func (p *system) dumper(compressed bool) dumper {
	style := p.opts.Dump
	return dumper{style: style, hints: style.hints(p.prof.api), compressed: compressed}
}

// setDumping takes the only place for an automation service, or releases it.
func (p *system) setDumping(on bool) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if on && p.dumping {
		return false
	}
	p.dumping = on
	return true
}

func (p *system) dump(compressed, windows bool) (string, bool) {
	p.hearPage()
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.ui.frame(time.Now())
	if f.active() == nil {
		return "", false
	}
	if windows {
		return dumpWindows(f, p.dumper(compressed)), true
	}
	return dumpActive(f, p.dumper(compressed)), true
}

// scan puts a file into the media index. Phone.mu is held.
func (p *system) scan(name string) {
	name = resolve("/", strings.TrimPrefix(name, "file://"))
	if _, err := p.files.stat(name); err == nil && strings.HasPrefix(name, "/sdcard/") {
		p.media["/storage/emulated/0"+strings.TrimPrefix(name, "/sdcard")] = 1000 + len(p.media)
	}
}

// procStat is /proc/PID/stat of an app that runs: it has used a tenth of one core since it started.
func (p *system) procStat(name string) (string, bool) {
	var pid int
	if n, err := fmt.Sscanf(name, "/proc/%d/stat", &pid); n != 1 || err != nil {
		return "", false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for pkg, r := range p.ui.apps {
		if r.pid == pid {
			ticks := time.Since(r.started).Milliseconds() / 100
			return fmt.Sprintf(
				"%d (%.15s) S 512 512 0 0 -1 1077952832 41213 0 12 0 %d %d 0 0 10 -10 31 0 91234 15847284736 "+
					"32112\n", pid, pkg, ticks*2/3, ticks-ticks*2/3), true
		}
	}
	return "", false
}
