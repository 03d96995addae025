package drivertest

import (
	"bytes"
	"context"
	"errors"
	"image"
	"os"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// RunAny runs what can be asked of a device on which Login opens any app, such as the system's settings: the suite
// without the parts that need the sample login, and RunBeside.
func RunAny[T runner[T]](t T, s Subject[T]) {
	t.Run("lists its device as ready, sorted, with a platform", s.lists)
	t.Run("opens, closes twice, and opens again", s.reopens)
	t.Run("an unknown device is an error", s.unknown)
	t.Run("a cancelled context ends every call", s.cancels)
	t.Run("calls after Close are errors", s.afterClose)
	t.Run("records when it says that it can", s.filmsAny)
	t.Run("shows its screen live when it says that it can", s.castsAny)
	t.Run("logs when it says that it can", s.logsAny)
	t.Run("an app or a page that is not there blames the app", s.noApp)
	RunBeside(t, s)
}

// RunBeside runs what only a real device is asked, whichever app Login opens.
func RunBeside[T runner[T]](t T, s Subject[T]) {
	t.Run("the app comes to the front, and its texts are drawn where the tree has them", s.drawsItsTexts)
	t.Run("a tree and a screenshot, five times each", s.speeds)
	t.Run("a touch reaches the app", s.touches)
	t.Run("a swipe moves the list", s.swipes)
	t.Run("the app has not crashed", s.lives)
}

// texts are the elements on the screen that say something; it waits until there are some.
func (s Subject[T]) texts(t T, dev drivers.Device) (tree *screen.Tree, found []*screen.Node) {
	t.Helper()
	s.until(t, dev, "the screen shows texts", func(now *screen.Tree) bool {
		tree, found = now, nil
		for n := range now.All {
			if !n.Hidden && n.Text != "" && n.Bounds.In(image.Rectangle{Max: now.Size}) && n.Bounds.Dx() > 8 &&
				n.Bounds.Dy() > 8 {
				found = append(found, n)
			}
		}
		return len(found) > 0
	})
	return tree, found
}

func (s Subject[T]) drawsItsTexts(t T) {
	dev := s.open(t)
	s.texts(t, dev)
	var drawn, all int
	var tree *screen.Tree
	var img image.Image
	for end := time.Now().Add(s.Patience / 4); ; { // what slides in is stationary in a moment
		var found []*screen.Node
		tree, found = s.texts(t, dev)
		var err error
		if img, err = dev.Screenshot(t.Context()); err != nil {
			t.Fatal(err)
		}
		drawn, all = 0, len(found)
		for _, n := range found {
			if painted(img, n.Bounds) {
				drawn++
			}
		}
		if drawn*10 >= all*9 || time.Now().After(end) {
			break
		}
	}
	if img.Bounds().Min != (image.Point{}) || img.Bounds().Size() != tree.Size {
		t.Errorf("the tree is %v, the screenshot %v", tree.Size, img.Bounds())
	}
	if drawn*10 < all*9 { // few lie under something else
		t.Errorf("of %d texts of the tree, the screenshot has one colour where %d should be", all, all-drawn)
	}
}

// speeds reports how long reads take. It asserts nothing.
func (s Subject[T]) speeds(t T) {
	dev := s.open(t)
	tree, _ := s.texts(t, dev)
	elements := 0
	for range tree.All {
		elements++
	}
	var looks, pictures []time.Duration
	for range 5 {
		began := time.Now()
		if _, err := dev.Tree(t.Context()); err != nil && !errors.Is(err, drivers.ErrNotReady) {
			t.Fatal(err)
		}
		looks = append(looks, time.Since(began))
		began = time.Now()
		if _, err := dev.Screenshot(t.Context()); err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, time.Since(began))
	}
	slices.Sort(looks)
	slices.Sort(pictures)
	ms := time.Millisecond
	t.Logf("%d elements: a tree takes %v (%v to %v), a screenshot %v (%v to %v)", elements, looks[2].Round(ms),
		looks[0].Round(ms), looks[4].Round(ms),
		pictures[2].Round(ms), pictures[0].Round(ms), pictures[4].Round(ms))
}

// shownTexts sums up what a tree says and where.
func shownTexts(tree *screen.Tree) string {
	var b bytes.Buffer
	for n := range tree.All {
		if !n.Hidden && n.Text != "" {
			b.WriteString(n.Text + n.Bounds.String() + "\n")
		}
	}
	return b.String()
}

// touches: of a few elements that react one changes what is shown.
func (s Subject[T]) touches(t T) {
	dev := s.open(t)
	tree, found := s.texts(t, dev)
	before := shownTexts(tree)
	tried := 0
	for _, n := range found {
		target := n
		for target != nil && !target.Clickable {
			target = target.Parent
		}
		if target == nil || target.Bounds.Dy() > tree.Size.Y/3 {
			continue
		}
		if tried++; tried > 3 {
			break
		}
		if err := dev.Tap(t.Context(), n.Bounds.Min.Add(n.Bounds.Size().Div(2))); err != nil {
			t.Fatal(err)
		}
		if s.changes(t, dev, before) {
			return
		}
	}
	t.Errorf("%d elements that react were touched, and the screen stayed as it was", tried)
}

// changes waits for other texts than those.
func (s Subject[T]) changes(t T, dev drivers.Device, before string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), min(s.Patience, 5*time.Second))
	defer cancel()
	for ctx.Err() == nil {
		tree, err := dev.Tree(ctx)
		if err == nil && shownTexts(tree) != before {
			return true
		}
		if err != nil && !errors.Is(err, drivers.ErrNotReady) && ctx.Err() == nil {
			t.Fatal(err)
		}
	}
	return false
}

func (s Subject[T]) swipes(t T) {
	dev := s.open(t)
	g, ok := dev.(drivers.Gestures)
	if !ok {
		t.Log("the device does not claim to know gestures")
		return
	}
	tree, _ := s.texts(t, dev)
	before := shownTexts(tree)
	size := tree.Size
	if err := g.Swipe(t.Context(), image.Pt(size.X/2, size.Y*3/4), image.Pt(size.X/2, size.Y/4),
		300*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if !s.changes(t, dev, before) {
		t.Logf("nothing on this screen moved, which may be all there is")
	}
	s.refusesPoints(t, g, image.Pt(size.X/2, size.Y/2), size)
}

func (s Subject[T]) filmsAny(t T) {
	dev := s.device(t)
	recorder, ok := dev.(drivers.Recorder)
	if !ok {
		t.Log("the device does not claim to record")
		return
	}
	film, err := recorder.StartRecording(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Login(t.Context(), dev); err != nil {
		t.Fatal(err)
	}
	s.texts(t, dev)
	clips, err := film.Stop(t.Context())
	if err != nil || len(clips) == 0 {
		t.Fatalf("%d clips, %v", len(clips), err)
	}
	for _, c := range clips {
		if info, err := os.Stat(c.Path); err != nil || info.Size() == 0 {
			t.Errorf("clip %s: %v, %v", c.Path, info, err)
		}
	}
}

func (s Subject[T]) castsAny(t T) {
	dev := s.open(t)
	var shown seen
	caster, stop := s.watched(t, dev, &shown)
	if caster == nil {
		return
	}
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func (s Subject[T]) logsAny(t T) {
	dev := s.device(t)
	logger, ok := dev.(drivers.Logger)
	if !ok {
		t.Log("the device does not claim to have a log")
		return
	}
	var w guarded
	stop, err := logger.StartLog(t.Context(), &w)
	if errors.Is(err, drivers.ErrUnsupported) {
		t.Log(err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Login(t.Context(), dev); err != nil {
		t.Fatal(err)
	}
	s.texts(t, dev)
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if w.len() == 0 {
		t.Log("the log has no line since then")
	}
}

func (s Subject[T]) lives(t T) {
	dev := s.open(t)
	w, ok := dev.(drivers.CrashWatcher)
	if !ok {
		t.Log("the device does not claim to report crashes")
		return
	}
	s.texts(t, dev)
	if c, err := w.Crashed(t.Context()); err != nil || c != nil {
		t.Errorf("%+v, %v", c, err)
	}
}
