// Package system is Android's system server on a simulated phone: its activities, touches, keys, apps and settings.
package system

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

	"github.com/taproot-dev/taproot/internal/screenimage"
	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// System is Android's system server: what the phone shows, and what commands, apps and the agent change. Its lock
// guards all of it, so that a tree and a screenshot agree.
type System struct {
	*kernel.Kernel
	Opts spec.Options
	Prof spec.Profile

	Mu       sync.Mutex // guards everything below
	Settings settings
	Props    map[string]string
	Packages map[string]*Package
	UI       *Screen
	Panel    *touchPanel
	Night    string
	Location mockLocation
	Media    map[string]int // the index of media: path to id
	Sensors  sensors
	Dumping  bool // a uiautomator is running, or an agent
}

// New returns a system server without apps; Boot starts it.
func New(o spec.Options, k *kernel.Kernel) *System {
	s := &System{Kernel: k, Opts: o, Prof: o.Profile(), Night: "no", Media: map[string]int{},
		Settings: defaultSettings(), Packages: map[string]*Package{},
		Location: mockLocation{Providers: map[string]bool{}, Places: map[string][2]float64{}},
		Sensors:  sensors{Acceleration: [3]float64{0, 9.77622, 0.813417}}}
	s.Props = defaultProps(s.Opts, s.Prof)
	s.UI = newScreen(s)
	s.Panel = &touchPanel{mu: &s.Mu, opts: o, ui: s.UI}
	return s
}

// Boot shows the launcher.
func (s *System) Boot() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.UI.boot()
}

// StopTimers ends what was to happen later.
func (s *System) StopTimers() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.UI.stopTimers()
}

// Restart ends all processes, and calls back after a while: then the phone has started again.
func (s *System) Restart(takes time.Duration, back func()) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, pr := range s.Procs.List() {
		if pr.Kill != nil {
			pr.Kill(kernel.SigKILL)
		}
	}
	for pkg := range s.UI.Apps {
		if pkg != spec.LauncherPackage {
			s.UI.remove(pkg)
		}
	}
	s.UI.home()
	s.UI.Guard.Locked = s.Opts.Lock != spec.Unlocked
	s.UI.Later(takes, back)
}

// Install puts an app on the phone.
func (s *System) Install(a *Package) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if a.UID == 0 {
		a.UID = 10200 + len(s.Packages)
	}
	s.Packages[a.Name] = a
}

// remotePage is a page that shows what another process draws, which is requested before the screen is read.
type remotePage interface {
	// RenewImage requests its image again, hear its elements. The phone's lock is not held.
	RenewImage()
	Hear()
}

// remote is the foreground page if it is one of these.
func (s *System) remote() (remotePage, bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	page, ok := s.UI.Top().Page.(remotePage)
	return page, ok
}

// renewImage renews the image of the foreground page.
func (s *System) renewImage() {
	if page, ok := s.remote(); ok {
		page.RenewImage()
	}
}

// HearPage renews the accessibility nodes of the foreground page.
func (s *System) HearPage() {
	if page, ok := s.remote(); ok {
		page.Hear()
	}
}

// Shown is the image on the screen.
func (s *System) Shown() *image.RGBA {
	s.renewImage()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.UI.Picture(time.Now())
}

// Tree is the tree on the screen, read without waiting for anything.
func (s *System) Tree() string {
	s.HearPage()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return ui.DumpActive(s.UI.Frame(time.Now()), s.dumper(false))
}

// Forbidden reports whether a window on the screen forbids screenshots.
func (s *System) Forbidden() bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return slices.ContainsFunc(s.UI.Frame(time.Now()).Windows, func(w *ui.Window) bool { return w.Secure })
}

// Captured is the screenshot without what apps protect from screenshots.
func (s *System) Captured() *image.RGBA {
	s.renewImage()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.UI.Pictured = true
	f := s.UI.Frame(time.Now())
	s.UI.Pictured = false
	f.Captured = true
	return s.UI.draw.Frame(f)
}

// Glass is what screencap sees.
func (s *System) Glass() *image.RGBA {
	img := s.Captured()
	if !s.Opts.WholeGlass {
		return img
	}
	whole := image.NewRGBA(image.Rect(0, 0, s.Opts.Width, s.Opts.Height))
	if img.Rect.Dx() > img.Rect.Dy() {
		whole = image.NewRGBA(image.Rect(0, 0, s.Opts.Height, s.Opts.Width))
	}
	xdraw.ApproxBiLinear.Scale(whole, whole.Rect, img, img.Rect, xdraw.Src, nil)
	return whole
}

// ChangeKey changes whenever the image does.
func (s *System) ChangeKey(now time.Time) (string, image.Point) {
	s.renewImage()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	f := s.UI.Frame(now)
	var b strings.Builder
	for _, w := range f.Windows {
		w.Root.Walk(func(v *ui.View) {
			b.WriteString(v.Class + v.Shown() + v.B.String() + strconv.Itoa(v.Version))
			if v.Focused {
				b.WriteString("|" + strconv.FormatInt(now.UnixMilli()/500, 10))
			}
			for _, part := range v.Painted {
				b.WriteString(part.B.String())
			}
		})
	}
	return b.String(), f.Size
}

// MainDisplay is the id of the glass that shows Android's display 0.
func (s *System) MainDisplay() string {
	if s.Opts.Folded {
		return OutsideID
	}
	return DisplayID
}

// Encode converts an image to what screencap writes: PNG, or a header of 12 bytes (16 from API 28) and RGBA pixels.
func (s *System) Encode(img *image.RGBA, asPNG bool) []byte {
	if asPNG {
		var b bytes.Buffer
		if err := screenimage.EncodePNG(&b, img); err != nil {
			return nil // a buffer takes everything
		}
		return b.Bytes()
	}
	size := img.Rect.Size()
	head := []uint32{uint32(size.X), uint32(size.Y), 1}
	if s.Prof.API >= 28 {
		head = append(head, 0)
	}
	out := make([]byte, 0, len(img.Pix)+16)
	for _, v := range head {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return append(out, img.Pix...)
}

// Content is what accessibility services receive, structure, texts and states, and the instant at which it was so.
func (s *System) Content() (string, time.Time) {
	s.HearPage()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	var b strings.Builder
	now := time.Now()
	f := s.UI.Frame(now)
	if w := f.Active(); w != nil {
		w.Root.Walk(func(v *ui.View) {
			fmt.Fprintf(&b, "%s|%s|%s|%t|%t|%t\n", v.Class, v.Shown(), v.Desc, v.Checked, v.Focused, v.Disabled)
		})
	}
	return b.String(), now
}

func (s *System) dumper(compressed bool) ui.Dumper {
	style := s.Opts.Dump
	return ui.Dumper{Style: style, Hints: style.WritesHints(s.Prof.API), Compressed: compressed}
}

// SetDumping takes the only place for an automation service, or releases it.
func (s *System) SetDumping(on bool) (ok bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if on && s.Dumping {
		return false
	}
	s.Dumping = on
	return true
}

// Dump is the tree as uiautomator writes it; false: no window has the focus.
func (s *System) Dump(compressed, windows bool) (string, bool) {
	s.HearPage()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	f := s.UI.Frame(time.Now())
	if f.Active() == nil {
		return "", false
	}
	if windows {
		return ui.DumpWindows(f, s.dumper(compressed)), true
	}
	return ui.DumpActive(f, s.dumper(compressed)), true
}

// Scan puts a file into the media index. The phone's lock is held.
func (s *System) Scan(name string) {
	name = kernel.Resolve("/", strings.TrimPrefix(name, "file://"))
	if _, err := s.Files.Stat(name); err == nil && strings.HasPrefix(name, "/sdcard/") {
		s.Media["/storage/emulated/0"+strings.TrimPrefix(name, "/sdcard")] = 1000 + len(s.Media)
	}
}

// ProcStat is /proc/PID/stat of an app that runs: it has used a tenth of one core since it started.
func (s *System) ProcStat(name string) (string, bool) {
	var pid int
	if n, err := fmt.Sscanf(name, "/proc/%d/stat", &pid); n != 1 || err != nil {
		return "", false
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for pkg, r := range s.UI.Apps {
		if r.PID == pid {
			ticks := time.Since(r.started).Milliseconds() / 100
			return fmt.Sprintf(
				"%d (%.15s) S 512 512 0 0 -1 1077952832 41213 0 12 0 %d %d 0 0 10 -10 31 0 91234 15847284736 "+
					"32112\n", pid, pkg, ticks*2/3, ticks-ticks*2/3), true
		}
	}
	return "", false
}
