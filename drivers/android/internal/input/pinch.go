package input

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	pinchStep  = 60 * time.Millisecond
	pinchMoves = 12 // at most: each event starts a program on the phone
	eventCost  = 15 * time.Millisecond
)

// touchPanel is the phone's own touch screen as its kernel has it.
type touchPanel struct {
	path string
	x, y axis
}

type axis struct{ min, max int }

// at turns a place between 0 and size into the panel's unit.
func (a axis) at(v, size int) int {
	if size <= 1 {
		return a.min
	}
	return a.min + v*(a.max-a.min)/(size-1)
}

// panelPinch returns the events of two fingers, because Android's input program knows one finger only. They are written
// to the touch screen's device file, which the shell may do up to Android 9, and later where adbd runs as root, as on
// emulators. Where it may not, from Android 11 on, they come from a touch screen that is made for them.
func (j *Injector) panelPinch(ctx context.Context, centre image.Point, near [2]int, took time.Duration) error {
	turns, err := j.turns(ctx)
	if err != nil {
		return err
	}
	natural := image.Pt(j.Phone.Info.Width, j.Phone.Info.Height)
	if natural == (image.Point{}) {
		return fmt.Errorf("device %s: %w: it does not report the size of its screen", j.Phone.Link.Serial,
			drivers.ErrUnsupported)
	}
	moves := min(max(int(took/pinchStep), 4), pinchMoves)
	p := PinchPath{centre: centre, from: near[0], to: near[1], moves: moves, pause: took / time.Duration(moves),
		natural: func(p image.Point) image.Point { return unturn(p, natural, turns) }}
	err = j.pinchOnTouchscreen(ctx, p, natural)
	if errors.Is(err, errForbidden) && j.Phone.Info.APILevel >= uinputAPI {
		return j.pinchOnVirtual(ctx, p, natural)
	}
	return err
}

// errForbidden is why no event was written.
var errForbidden = fmt.Errorf("%w: only root may inject two fingers", drivers.ErrUnsupported)

func (j *Injector) pinchOnTouchscreen(ctx context.Context, p PinchPath, natural image.Point) error {
	panel, err := j.panel(ctx)
	if err != nil {
		return err
	}
	events := p.events(func(at image.Point) (x, y int) { return panel.x.at(at.X, natural.X), panel.y.at(at.Y, natural.Y) })
	o, err := j.Phone.Run(ctx, adb.Command{Name: "sendevent", Line: sendLine(panel.path, events, p.pause),
		Limit: adb.CommandLimit + p.took() + time.Duration(12*p.moves)*eventCost})
	if err != nil {
		_, _ = j.Phone.Run(j.Phone.Life, adb.Command{Name: "lift the fingers", Line: liftLine(panel.path),
			Limit: hurriedLimit})
		return err
	}
	switch {
	case strings.Contains(o.Text(), "ermission denied"):
		return fmt.Errorf(
			"device %s: %w on Android %s: use an emulator after `adb root`, or a phone with another Android than 10",
			j.Phone.Link.Serial, errForbidden, j.Phone.Info.OSVersion)
	case o.Code != 0:
		return fmt.Errorf("device %s: pinch: %s", j.Phone.Link.Serial, o.Reason())
	}
	return nil
}

// panel finds the touch screen.
func (j *Injector) panel(ctx context.Context) (touchPanel, error) {
	o, err := j.Phone.Run(ctx, adb.Command{Name: "getevent", ReadOnly: true, Line: "getevent -p"})
	if err != nil {
		return touchPanel{}, err
	}
	panel, err := parsePanel(string(o.Out))
	if err != nil {
		err = fmt.Errorf("device %s: %w: %w", j.Phone.Link.Serial, errForbidden, err)
	}
	return panel, err
}

// turns returns how the screen is rotated on the touch screen, in quarters.
func (j *Injector) turns(ctx context.Context) (int, error) {
	o, err := j.Phone.Run(ctx, adb.Command{Name: "dumpsys window displays", ReadOnly: true,
		Line: "dumpsys window displays"})
	turns, _ := phone.ParseRotation(string(o.Out))
	return turns, err
}

var (
	deviceLine = lazyregexp.New(`(?m)^add device \d+: (/dev/input/event\d+)\s*$`)
	axisLine   = lazyregexp.New(`(?m)(?:^|\s)(0035|0036)\s*: value -?\d+, min (-?\d+), max (-?\d+)`)
)

// parsePanel reads `getevent -p`: the touch screen is the device with both axes of multi-touch, a direct one where
// several have them.
func parsePanel(text string) (touchPanel, error) {
	var best touchPanel
	places := deviceLine.FindAllStringSubmatchIndex(text, -1)
	for i, at := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		p := touchPanel{path: text[at[2]:at[3]]}
		axes := 0
		for _, m := range axisLine.FindAllStringSubmatch(text[at[1]:end], -1) {
			low, _ := strconv.Atoi(m[2])
			high, _ := strconv.Atoi(m[3])
			if high <= low {
				continue
			}
			axes++
			if m[1] == "0035" {
				p.x = axis{low, high}
			} else {
				p.y = axis{low, high}
			}
		}
		if axes == 2 && (best.path == "" || strings.Contains(text[at[1]:end], "INPUT_PROP_DIRECT")) {
			best = p
		}
	}
	if best.path == "" {
		return best, errors.New("it has no touch screen for several fingers")
	}
	return best, nil
}

// unturn returns the place on the panel under a point of the screen, which may be rotated.
func unturn(p, natural image.Point, turns int) image.Point {
	switch turns & 3 {
	case 1:
		return image.Pt(natural.X-1-p.Y, p.X)
	case 2:
		return image.Pt(natural.X-1-p.X, natural.Y-1-p.Y)
	case 3:
		return image.Pt(p.Y, natural.Y-1-p.X)
	}
	return p
}

// PinchPath is how two fingers move, next to a point and apart from it or towards it.
type PinchPath struct {
	centre   image.Point
	from, to int // how far each is from the centre
	moves    int
	pause    time.Duration // for each move
	natural  func(image.Point) image.Point
}

func (p PinchPath) took() time.Duration { return time.Duration(p.moves) * p.pause }

// touchEvent is the type, the code and the value of one of Linux's input events.
type touchEvent [3]int

// events are those of Linux's multi-touch protocol B, in reports: the fingers come, move and go. place returns a
// panel's own unit.
func (p PinchPath) events(place func(image.Point) (x, y int)) [][]touchEvent {
	var reports [][]touchEvent
	for i := range p.moves + 1 {
		var report []touchEvent
		off := p.from + (p.to-p.from)*i/p.moves
		for finger, side := range []int{-1, 1} {
			x, y := place(p.natural(p.centre.Add(image.Pt(side*off, 0))))
			report = append(report, touchEvent{3, 47, finger})
			if i == 0 {
				report = append(report, touchEvent{3, 57, 901 + finger})
			}
			report = append(report, touchEvent{3, 53, x}, touchEvent{3, 54, y})
		}
		if i == 0 {
			report = append(report, touchEvent{1, 330, 1})
		}
		reports = append(reports, append(report, touchEvent{}))
	}
	return append(reports, lift())
}

// lift takes both fingers off, whatever was done before.
func lift() []touchEvent {
	return []touchEvent{{3, 47, 0}, {3, 57, -1}, {3, 47, 1}, {3, 57, -1}, {1, 330, 0}, {}}
}

// sendLine is one shell line that writes the reports to a device file. It is short, because old phones take 4096 bytes
// at most.
func sendLine(path string, reports [][]touchEvent, pause time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "e() { sendevent %s $1 $2 $3 || exit 1; }; ", path)
	for i, report := range reports {
		for _, e := range report {
			fmt.Fprintf(&b, "e %d %d %d; ", e[0], e[1], e[2])
		}
		if rest := pause - 7*eventCost; rest > 0 && i < len(reports)-2 {
			fmt.Fprintf(&b, "sleep %.3f; ", rest.Seconds())
		}
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func liftLine(path string) string {
	return strings.Replace(sendLine(path, [][]touchEvent{lift()}, 0), "|| exit 1", "", 1)
}
