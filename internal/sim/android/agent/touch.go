package agent

import (
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// foundElement is an element that a client asked for.
type foundElement struct {
	strategy, selector string
	place              string // its way from its window's root
}

// sighted is a view with its place.
type sighted struct {
	v     *ui.View
	place string
	clip  image.Rectangle
}

// sights lists the views that the agent sees. The phone's lock is held.
func (a *reader) sights() []sighted {
	f := a.sys.UI.Accessible(time.Now())
	var list []sighted
	var walk func(v *ui.View, place string, clip image.Rectangle)
	walk = func(v *ui.View, place string, clip image.Rectangle) {
		if v.NotShown || !v.B.Empty() && (!v.B.Overlaps(clip) || !v.B.Overlaps(image.Rectangle{Max: f.Size})) {
			return
		}
		list = append(list, sighted{v, place, clip})
		if v.Scrollable && !a.settings.flag("simpleBoundsCalculation") {
			clip = clip.Intersect(v.B)
		}
		for i, c := range v.Children {
			walk(c, fmt.Sprintf("%s/%d:%s", place, i, c.Class), clip)
		}
	}
	for _, w := range a.windows(f) {
		if !a.phone.hung[w.Root.Pkg] {
			walk(w.Root, itoa(1+slices.Index(f.Windows, w)), image.Rectangle{Max: f.Size})
		}
	}
	return list
}

func fits(v *ui.View, strategy, selector string) bool {
	switch strategy {
	case "id":
		return v.ID == selector
	case "accessibility id":
		return v.Desc == selector
	case "class name":
		return v.Class == selector
	case "active":
		return v.Focused
	case "-android uiautomator":
		return fitsUiSelector(v, selector)
	}
	return false
}

var (
	selectorForm = lazyregexp.New(`^new UiSelector\(\)(?:\.(?:text|description|resourceId|className)\("[^"\\]+"\))+$`)
	selectorPart = lazyregexp.New(`\.(text|description|resourceId|className)\("([^"\\]+)"\)`)
)

// fitsUiSelector reads the forms of UiSelector that are simulated. Each of their criteria compares a whole attribute,
// case included.
func fitsUiSelector(v *ui.View, selector string) bool {
	has := map[string]string{"text": v.Shown(), "description": v.Desc, "resourceId": v.ID, "className": v.Class}
	for _, part := range selectorPart.FindAllStringSubmatch(selector, -1) {
		if has[part[1]] != part[2] {
			return false
		}
	}
	return true
}

// activeOnly keeps what is in the window with the focus, which is all that a UiSelector knows. The phone's lock is
// held.
func (a *reader) activeOnly(list []sighted) []sighted {
	f := a.sys.UI.Accessible(time.Now())
	active := f.Active()
	if active == nil {
		return nil
	}
	mark := itoa(1 + slices.Index(f.Windows, active))
	return slices.DeleteFunc(list, func(s sighted) bool {
		return s.place != mark &&
			!strings.HasPrefix(s.place, mark+"/")
	})
}

func (a *reader) first(strategy, selector string) (sighted, bool) {
	list := a.sights()
	if strategy == "-android uiautomator" {
		list = a.activeOnly(list)
	}
	for _, s := range list {
		if fits(s.v, strategy, selector) {
			return s, true
		}
	}
	return sighted{}, false
}

// remember makes an element's id of its place, so that it is the same each time.
func (a *Run) remember(w http.ResponseWriter, r *http.Request, s sighted, strategy, selector string) {
	sum := 0
	for _, c := range s.place {
		sum = sum*31 + int(c)
	}
	id := fmt.Sprintf("00000000-0000-%04x-ffff-ffff%08x", len(s.place), uint32(sum))
	a.mu.Lock()
	a.elements[id] = foundElement{strategy, selector, s.place}
	a.mu.Unlock()
	give(w, r.PathValue("id"), map[string]any{"ELEMENT": id, "element-6066-11e4-a52e-4f735466cecf": id})
}

func (a *Run) findElement(w http.ResponseWriter, r *http.Request, body map[string]any) {
	strategy, _ := body["strategy"].(string)
	selector, _ := body["selector"].(string)
	if !slices.Contains([]string{"id", "accessibility id", "class name", "-android uiautomator"}, strategy) ||
		strategy == "-android uiautomator" && !selectorForm.MatchString(selector) {
		problem(w, http.StatusBadRequest, "invalid selector", "the strategy "+strategy+" is not simulated")
		return
	}
	a.idle(r)
	kernel.Pause(r.Context(), a.sys.Opts.Latency.AgentFind)
	a.sys.HearPage()
	a.sys.Mu.Lock()
	s, ok := a.first(strategy, selector)
	a.sys.Mu.Unlock()
	if !ok {
		problem(w, http.StatusNotFound, "no such element",
			"An element could not be located on the page using the given search parameters")
		return
	}
	a.remember(w, r, s, strategy, selector)
}

func (a *Run) activeElement(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	kernel.Pause(r.Context(), a.sys.Opts.Latency.AgentFind)
	a.sys.Mu.Lock()
	s, ok := a.first("active", "")
	a.sys.Mu.Unlock()
	if !ok {
		problem(w, http.StatusNotFound, "no such element",
			"An element could not be located on the page using the given search parameters")
		return
	}
	a.remember(w, r, s, "active", "")
}

// refreshed finds an element again; it must be the same node. The phone's lock is held.
func (a *Run) refreshed(w http.ResponseWriter, r *http.Request) (sighted, bool) {
	a.mu.Lock()
	known, ok := a.elements[r.PathValue("element")]
	a.mu.Unlock()
	if !ok {
		problem(w, http.StatusNotFound, "no such element", "The element identified by "+r.PathValue("element")+
			" does not exist in the cache")
		return sighted{}, false
	}
	for _, s := range a.sights() {
		if s.place == known.place {
			return s, true
		}
	}
	problem(w, http.StatusNotFound, "stale element reference", "The element does not exist in DOM anymore")
	return sighted{}, false
}

func (a *Run) elementRect(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	a.sys.Mu.Lock()
	defer a.sys.Mu.Unlock()
	s, ok := a.refreshed(w, r)
	if !ok {
		return
	}
	b := s.v.B
	if cut := b.Intersect(s.clip); !cut.Empty() {
		b = cut
	}
	give(w, r.PathValue("id"), map[string]any{"x": b.Min.X, "y": b.Min.Y, "width": b.Dx(), "height": b.Dy()})
}

func (a *Run) elementText(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	a.sys.Mu.Lock()
	defer a.sys.Mu.Unlock()
	if s, ok := a.refreshed(w, r); ok {
		give(w, r.PathValue("id"), s.v.AgentText())
	}
}

func (a *Run) elementClick(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	a.sys.Mu.Lock()
	s, ok := a.refreshed(w, r)
	a.sys.Mu.Unlock()
	if !ok {
		return
	}
	kernel.Pause(r.Context(), a.sys.Opts.Latency.AgentInput)
	a.sys.Panel.Touch(time.Now(), s.v.B.Min.Add(s.v.B.Max).Div(2), 0)
	give(w, r.PathValue("id"), nil)
}

func (a *Run) elementClear(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	a.sys.Mu.Lock()
	defer a.sys.Mu.Unlock()
	if s, ok := a.refreshed(w, r); ok {
		if s.v.Field != nil {
			s.v.Field.Text, s.v.Field.Behind, s.v.Field.Selected = "", 0, false
		} else if s.v.SetText != nil {
			s.v.SetText("")
		}
		give(w, r.PathValue("id"), nil)
	}
}

// elementValue sets a text as accessibility services do: at once, without keys. Without replace it loses what a field
// with a hint had.
func (a *Run) elementValue(w http.ResponseWriter, r *http.Request, body map[string]any) {
	text, ok := body["text"].(string)
	if !ok {
		problem(w, http.StatusBadRequest, "invalid argument", "text is required")
		return
	}
	kernel.Pause(r.Context(), a.sys.Opts.Latency.AgentInput)
	a.sys.Mu.Lock()
	defer a.sys.Mu.Unlock()
	s, ok := a.refreshed(w, r)
	if !ok {
		return
	}
	f := s.v.Field
	if f == nil && s.v.SetText == nil || s.v.Disabled {
		problem(w, http.StatusBadRequest, "invalid element state", "Cannot set the element to '"+text+
			"'. Did you interact with the correct element?")
		return
	}
	if replace, _ := body["replace"].(bool); !replace {
		current := s.v.Shown()
		if s.v.Hint != "" {
			current = ""
		}
		text = current + text
	}
	enter := strings.HasSuffix(text, `\n`)
	if f == nil {
		s.v.SetText(strings.TrimSuffix(text, `\n`))
		if enter {
			a.sys.UI.Key(66)
		}
		give(w, r.PathValue("id"), nil)
		return
	}
	f.Text, f.Behind, f.Selected = strings.TrimSuffix(text, `\n`), 0, false
	if next := f.Changed(); next != f {
		a.sys.UI.Focus = next
	}
	if enter {
		a.sys.UI.Enter(f)
	}
	give(w, r.PathValue("id"), nil)
}

// fingerMove is one step of a finger.
type fingerMove struct {
	at   image.Point
	when time.Duration
	down bool
}

// actions touches with one or more fingers, all of it before it responds.
func (a *Run) actions(w http.ResponseWriter, r *http.Request, body map[string]any) {
	list, _ := body["actions"].([]any)
	var fingers [][]fingerMove
	longest := time.Duration(0)
	for _, one := range list {
		moves, took, err := parseFinger(one)
		if err != nil {
			problem(w, http.StatusBadRequest, "invalid argument", err.Error())
			return
		}
		fingers, longest = append(fingers, moves), max(longest, took)
	}
	if len(fingers) == 0 {
		problem(w, http.StatusBadRequest, "invalid argument", "actions must not be empty")
		return
	}
	p := a.sys
	if p.Opts.InputForbidden {
		problem(w, http.StatusBadRequest, "invalid element state",
			"Injecting of the touch event has failed. Did you grant INJECT_EVENTS?")
		return
	}
	kernel.Pause(r.Context(), p.Opts.Latency.AgentInput)
	if !kernel.Pause(p.Ctx, p.Opts.WindowAnimation) { // whether the client waits or not
		return
	}
	began := time.Now()
	if !kernel.Pause(p.Ctx, longest) {
		return
	}
	a.strokes(fingers, began)
	kernel.Pause(p.Ctx, p.Opts.WindowAnimation)
	give(w, r.PathValue("id"), nil)
}

func parseFinger(one any) (moves []fingerMove, took time.Duration, err error) {
	source, _ := one.(map[string]any)
	if kind, _ := source["type"].(string); kind != "pointer" {
		return nil, 0, fmt.Errorf("the action source %v is not simulated", source["type"])
	}
	if parameters, _ := source["parameters"].(map[string]any); parameters["pointerType"] != "touch" {
		return nil, 0, fmt.Errorf("pointerType must be touch")
	}
	steps, _ := source["actions"].([]any)
	at := image.Point{}
	for _, s := range steps {
		step, _ := s.(map[string]any)
		length, timed := step["duration"].(float64)
		switch step["type"] {
		case "pointerMove", "pause":
			if !timed || length < 0 {
				return nil, 0, fmt.Errorf("%v needs a duration", step["type"])
			}
			took += time.Duration(length) * time.Millisecond
			if step["type"] == "pointerMove" {
				x, okX := step["x"].(float64)
				y, okY := step["y"].(float64)
				if !okX || !okY {
					return nil, 0, fmt.Errorf("pointerMove needs x and y")
				}
				at = image.Pt(int(x), int(y))
				moves = append(moves, fingerMove{at: at, when: took, down: len(moves) > 0 && moves[len(moves)-1].down})
			}
		case "pointerDown":
			moves = append(moves, fingerMove{at: at, when: took, down: true})
		case "pointerUp":
			moves = append(moves, fingerMove{at: at, when: took})
		default:
			return nil, 0, fmt.Errorf("unknown action %v", step["type"])
		}
	}
	return moves, took, nil
}

// strokes passes to the phone what the fingers did.
func (a *Run) strokes(fingers [][]fingerMove, began time.Time) {
	p := a.sys
	if len(fingers) == 2 {
		p.Mu.Lock()
		defer p.Mu.Unlock()
		var from, to [2]image.Point
		for i, moves := range fingers {
			for _, s := range splitStrokes(moves) {
				from[i], to[i] = s[0].at, s[len(s)-1].at
			}
		}
		p.Panel.PinchedAt(from, to)
		return
	}
	for _, s := range splitStrokes(fingers[0]) {
		first, last := s[0], s[len(s)-1]
		far := last.at.Sub(first.at)
		held := time.Duration(0) // before the first move
		for _, m := range s {
			if m.at == first.at {
				held = m.when - first.when
			} else {
				break
			}
		}
		switch {
		case max(far.X, -far.X, far.Y, -far.Y) < 24:
			p.Panel.Touch(began.Add(last.when), first.at, last.when-first.when)
		case held >= system.LongPress:
			p.Panel.Swipe("drag", first.at, last.at)
		default:
			p.Panel.Swipe("swipe", first.at, last.at)
		}
	}
}

// splitStrokes splits a finger's steps into what is between down and up.
func splitStrokes(moves []fingerMove) [][]fingerMove {
	var all [][]fingerMove
	var now []fingerMove
	for _, m := range moves {
		switch {
		case m.down:
			now = append(now, m)
		case len(now) > 0:
			all, now = append(all, append(now, m)), nil
		}
	}
	return all
}

// streamImages sends images as the agent does: the first bytes of the client request it.
func (a *Run) streamImages(ctx context.Context, s kernel.Stream) {
	if _, err := s.Read(make([]byte, 1024)); err != nil {
		return
	}
	_, _ = io.WriteString(s,
		"HTTP/1.0 200 OK\r\nServer: UiAutomator2 MJPEG\r\nConnection: close\r\nContent-Type: multipart/x-mixed-replace; "+
			"boundary=--BoundaryString\r\n\r\n")
	for ctx.Err() == nil {
		var jpg strings.Builder
		if a.sys.Opts.EffectiveSecure() != spec.SecureBlack &&
			a.sys.Forbidden() { // an image that could not be taken is left out
			if !kernel.Pause(ctx, time.Second/time.Duration(max(1, a.settings.number("mjpegServerFramerate")))) {
				return
			}
			continue
		}
		img := a.sys.Captured()
		img = ui.Scaled(img, img.Rect.Size().Mul(max(1, a.settings.number("mjpegScalingFactor"))).Div(100))
		if jpeg.Encode(&jpg, img, &jpeg.Options{Quality: 50}) != nil {
			return
		}
		if _, err := fmt.Fprintf(s, "--BoundaryString\r\nContent-type: image/jpg\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			jpg.Len(), jpg.String()); err != nil {
			return
		}
		select {
		case <-a.Ended:
			return
		default:
		}
		if !kernel.Pause(ctx, time.Second/time.Duration(max(1, a.settings.number("mjpegServerFramerate")))) {
			return
		}
	}
}
