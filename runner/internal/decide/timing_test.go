package decide_test

import (
	"fmt"
	"hash/fnv"
	"image"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

var began = time.Date(2027, 1, 31, 9, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }

// scene is a want and what the screen shows while it is searched.
type scene struct {
	want decide.Want
	show func(ms int) *screen.Tree
	// pixels adds screenshots to a frame, and answer says what they show.
	pixels func(ms int, f *decide.Frame)
	answer func(ms int, q decide.Question) decide.Answer
}

func text(label string) *screen.Node {
	return &screen.Node{Type: "android.widget.TextView", Text: label, Bounds: image.Rect(100, 200, 500, 260)}
}

// below is the same in another place.
func below(label string) *screen.Node {
	n := text(label)
	n.Bounds = n.Bounds.Add(image.Pt(0, 400))
	return n
}

// screenOf is a scene with a screen that shows the same all the time, and a want to see "Sign in" on it.
func screenOf(nodes ...*screen.Node) scene {
	return scene{want: want(decide.See, "Sign in"), show: func(int) *screen.Tree { return treeOf(nodes...) }}
}

func want(p decide.Purpose, label string) decide.Want {
	return decide.Want{Purpose: p, Selector: dsl.Selector{Label: label}, Timeout: 10 * time.Second,
		StepTimeout: 10 * time.Second, Began: began, Timing: decide.Native()}
}

func treeOf(nodes ...*screen.Node) *screen.Tree {
	root := &screen.Node{Type: "android.widget.FrameLayout", Bounds: image.Rect(0, 0, 1080, 2400)}
	for _, n := range nodes {
		same := *n
		root.Children = append(root.Children, &same)
	}
	return screen.NewTree([]*screen.Node{root}, image.Pt(1080, 2400), began)
}

// frame is what is seen at a moment.
func (s scene) frame(ms int) decide.Frame {
	t := s.show(ms).At(at(ms))
	h := fnv.New64a()
	for n := range t.All {
		fmt.Fprintln(h, n.Type, n.Text, n.Bounds, n.Hidden)
	}
	f := decide.Frame{Tree: t, Digest: fmt.Sprint(h.Sum64()), Now: at(ms)}
	if s.pixels != nil {
		s.pixels(ms, &f)
	}
	return f
}

func (s scene) frames(ms ...int) []decide.Frame {
	var list []decide.Frame
	for _, m := range ms {
		list = append(list, s.frame(m))
	}
	return list
}

// next decides on a frame, and resolves the questions of the decision.
func (s scene) next(search *decide.Search, ms int, f *decide.Frame) decide.Decision {
	for {
		d := search.Next(f)
		if d.Kind != decide.Answering || s.answer == nil {
			return d
		}
		if f.Evidence == nil {
			f.Evidence = map[string]decide.Answer{}
		}
		for _, q := range d.Questions {
			f.Evidence[q.Key()] = s.answer(ms, q)
		}
	}
}

// play searches as a step does, without the time that reading takes, and returns what was decided when.
func (s scene) play() string {
	var out strings.Builder
	search := decide.New(s.want)
	for now := 0; now <= 20_000; {
		f := s.frame(now)
		d := s.next(search, now, &f)
		fmt.Fprintf(&out, "%d %s", now, d.Kind)
		if d.Kind != decide.Wait {
			fmt.Fprintf(&out, " %+v", decide.ResultOf(d))
			return out.String()
		}
		out.WriteString("\n")
		now = max(int(d.Until.Sub(began).Milliseconds()), now+1)
	}
	return out.String() + "never ended"
}

// from returns one tree until a moment, and another one from it on.
func from(ms int, before, then *screen.Tree) func(int) *screen.Tree {
	return func(now int) *screen.Tree {
		if now < ms {
			return before
		}
		return then
	}
}

// shots adds screenshots before and after the tree.
func shots(ms int, f *decide.Frame) {
	size := image.Rect(0, 0, 1080, 2400)
	f.Before = decide.Shot{ID: 2*ms + 1, At: at(ms - 5), Size: size}
	f.Last = decide.Shot{ID: 2*ms + 2, At: at(ms + 1), Size: size}
	f.After = f.Last
}

// differences returns what differs between the screenshots around a tree, within an area, and what became of it.
func differences(changed func(ms int, area image.Rectangle) image.Rectangle, motion decide.Motion) func(int,
	decide.Question) decide.Answer {
	return func(ms int, q decide.Question) decide.Answer {
		box := changed(ms, q.Area)
		return decide.Answer{Box: box, Motion: motion, Yes: q.Ask == decide.AskSame && box.Empty() &&
			motion == decide.Rests}
	}
}

// scenes are situations in which a rule of timing decides, by the field of the table that holds it.
func scenes() map[string][]scene {
	empty, there := treeOf(), treeOf(text("Sign in"))
	absent := func(show func(int) *screen.Tree) scene {
		return scene{want: want(decide.Absent, "Sign in"), show: show}
	}
	rest := func(t *screen.Tree, r screen.Activity) *screen.Tree {
		same := t.At(t.Taken)
		same.Rest = r
		return same
	}
	acted := func(s scene, ms int, before *screen.Tree) scene {
		s.want.Earlier = decide.History{Acted: at(ms), Tree: before}
		return s
	}
	act := func(show func(int) *screen.Tree) scene { return scene{want: want(decide.Act, "Sign in"), show: show} }
	always := func(t *screen.Tree) func(int) *screen.Tree { return func(int) *screen.Tree { return t } }
	free := func(s scene) scene { // nothing is over the app, nor drawn
		s.answer = func(_ int, q decide.Question) decide.Answer { return decide.Answer{Yes: q.Ask == decide.AskBlank} }
		return s
	}
	phone := func(s scene) scene { s.want.Device.Phone = true; return s }
	pixels := func(s scene, changed func(int, image.Rectangle) image.Rectangle, m decide.Motion) scene {
		s.want.Device.Pixels, s.pixels, s.answer = true, shots, differences(changed, m)
		return s
	}
	ahead := func(s scene) scene { s.want.Device.Ahead = true; return s }
	whole := func(_ int, area image.Rectangle) image.Rectangle { return area }
	dot := func(_ int, area image.Rectangle) image.Rectangle {
		return image.Rect(110, 210, 140, 240).Intersect(area)
	}
	nothing := func(int, image.Rectangle) image.Rectangle { return image.Rectangle{} }
	leaving := text("Sign in")
	leaving.Leaving = true
	disabled := text("Sign in")
	disabled.Disabled = true
	undrawn := text("Sign in")
	undrawn.Undrawn = true
	moving := func(now int) *screen.Tree {
		n := text("Sign in")
		n.Bounds = n.Bounds.Add(image.Pt(0, now*7%900))
		return treeOf(n)
	}
	short := act(moving)
	short.want.Timeout, short.want.StepTimeout = time.Millisecond, time.Millisecond
	blink := func(gone int) func(int) *screen.Tree {
		return func(now int) *screen.Tree {
			if now > 200 && now < 200+gone || now > 800 && now < 800+gone {
				return empty
			}
			if now >= 1500 {
				return empty
			}
			return there
		}
	}
	unseen := scene{want: want(decide.Absent, "Sign in"), show: always(there)}
	unseen.want.Device.Phone = true
	unseen.pixels = shots
	spreading := func(ms int, area image.Rectangle) image.Rectangle { // for three seconds, ever more of the screen changes
		return image.Rect(0, 0, 1080, 300+min(ms, 3000)/2).Intersect(area)
	}
	faint := ahead(act(always(there)))
	faint.want.Timeout, faint.want.StepTimeout = 15*time.Second, 15*time.Second
	faint = pixels(faint, nothing, decide.Within)
	return map[string][]scene{
		"QuietToAssert": {free(absent(from(40, there, empty)))},
		"QuietToAct":    {act(from(1900, treeOf(disabled), treeOf(text("Sign in"), below("Sign in"))))},
		"QuietToMiss":   {free(absent(from(15, rest(treeOf(text("x")), screen.Quiet), rest(empty, screen.Quiet))))},
		"StateHolds":    {acted(scene{want: want(decide.See, "Sign in"), show: always(there)}, 0, there)},
		"QuietHolds": {acted(scene{want: want(decide.See, "Sign in"), show: always(rest(there, screen.Quiet))}, 0,
			there)},
		"BusyHolds":    {acted(scene{want: want(decide.See, "Sign in"), show: always(rest(there, screen.Busy))}, 0, there)},
		"GoneReads":    {free(absent(from(120, rest(there, screen.Quiet), rest(empty, screen.Quiet)))), free(unseen)},
		"BlankFor":     {free(unseen)},
		"LeavesFor":    {{want: want(decide.See, "Sign in"), show: always(treeOf(leaving))}, act(always(treeOf(leaving)))},
		"BusyFor":      {free(phone(acted(absent(always(empty)), 0, empty)))},
		"AmbiguousFor": {act(always(treeOf(text("Sign in"), below("Sign in"))))},
		"Sightings":    {short},
		"UndrawnFor":   {act(always(treeOf(undrawn)))},
		"RestlessReads": {pixels(act(always(there)), whole, decide.Unlike),
			slow(pixels(act(always(there)), whole, decide.Unlike))},
		"RestlessFor":   {pixels(act(always(there)), whole, decide.Unlike)},
		"SpreadFor":     {ahead(pixels(act(always(there)), spreading, decide.Unlike))},
		"FadesFor":      {faint},
		"FadeGap":       {ahead(pixels(act(always(there)), nothing, decide.Rests))},
		"FirstPause":    {scene{want: want(decide.See, "Sign in"), show: from(3000, empty, there)}},
		"LongestPause":  {scene{want: want(decide.See, "Sign in"), show: from(3000, empty, there)}},
		"PauseGrowth":   {scene{want: want(decide.See, "Sign in"), show: from(3000, empty, there)}},
		"AbsentPause":   {free(absent(blink(150)))},
		"BlinkPauses":   {free(unseen)},
		"MaestroPause":  {flow(decide.See, 1000, 20_000)},
		"MaestroLookup": {flow(decide.Absent, 0, 330)},
		"MaestroSettle": {flow(decide.Rest, 0, 0)},
		"MaestroTrees":  {flow(decide.Rest, 0, 0)},
		"dot":           {pixels(act(always(there)), dot, decide.Within)},
	}
}

// flow is a search by the rules of Maestro on a screen that never rests: the element is there in between.
func flow(p decide.Purpose, came, went int) scene {
	s := scene{want: want(p, "Sign in"), show: func(now int) *screen.Tree {
		n := text("Sign in")
		n.Bounds = n.Bounds.Add(image.Pt(0, now%900))
		return treeOf(n)
	}}
	s.want.Policy, s.want.Endless = decide.ByMaestro, true
	s.answer = func(ms int, q decide.Question) decide.Answer {
		return decide.Answer{Yes: q.Ask == decide.AskMaestro && ms >= came && ms < went}
	}
	return s
}

// slow makes the trees of a scene come from moments far apart.
func slow(s scene) scene {
	s.pixels = func(ms int, f *decide.Frame) {
		shots(ms, f)
		f.Tree = f.Tree.At(at(ms * 120))
	}
	return s
}

// TestEachRuleOfTimingMatters: a value of the table that is halved or doubled changes what is decided, or when.
func TestEachRuleOfTimingMatters(t *testing.T) {
	t.Parallel()
	all := scenes()
	table := reflect.TypeFor[decide.Timing]()
	for i := range table.NumField() {
		name := table.Field(i).Name
		list := all[name]
		if len(list) == 0 {
			t.Errorf("no scene is about %s", name)
			continue
		}
		for _, factor := range []float64{0.5, 2} {
			differs := false
			for _, s := range list {
				usual := s.play()
				changed := s
				scale(reflect.ValueOf(&changed.want.Timing).Elem().Field(i), factor)
				differs = differs || changed.play() != usual
			}
			if !differs {
				t.Errorf("%s times %g changes nothing: %s", name, factor, list[0].play())
			}
		}
	}
}

// scale multiplies a value of the table.
func scale(v reflect.Value, factor float64) {
	switch v.Kind() {
	case reflect.Array:
		for i := range v.Len() {
			scale(v.Index(i), factor)
		}
	case reflect.Float64:
		v.SetFloat(v.Float() * factor)
	default:
		v.SetInt(int64(float64(v.Int()) * factor))
	}
}

// TestScenes: what is decided in each of the scenes, and when.
func TestScenes(t *testing.T) {
	t.Parallel()
	for name, list := range scenes() {
		for i, s := range list {
			played := strings.Split(s.play(), "\n")
			if end := played[len(played)-1]; strings.Contains(end, string(decide.Answering)) || strings.Contains(end, "never") {
				t.Errorf("%s %d: %s", name, i, end)
			} else {
				t.Logf("%s %d: %s, after %d reads", name, i, end, len(played))
			}
		}
	}
}

// TestNextIsPure: all frames at once lead to what each leads to after the ones before it.
func TestNextIsPure(t *testing.T) {
	t.Parallel()
	for name, list := range scenes() {
		s := list[0]
		search := decide.New(s.want)
		var frames []decide.Frame
		for now := 0; now < 2500; now += 130 {
			f := s.frame(now)
			d := s.next(search, now, &f)
			frames = append(frames, f)
			if whole := decide.Next(s.want, frames); !decide.ResultOf(whole).Equal(decide.ResultOf(d)) ||
				!whole.Until.Equal(d.Until) {
				t.Fatalf("%s at %d ms: %+v, and %+v one after the other", name, now, decide.ResultOf(whole), decide.ResultOf(d))
			}
			if d.Kind != decide.Wait {
				break
			}
		}
	}
}

// TestAbsenceOfSlowReads: reads that take as long as the step show what the last touch has only started, as a dialog
// that is still too small to be seen. Absence needs several of them where the page is at work, or has drawn nothing.
func TestAbsenceOfSlowReads(t *testing.T) {
	there, none := treeOf(text("Sign in")), treeOf(text("x"))
	undrawn := treeOf(text("x"))
	for n := range undrawn.All {
		n.Undrawn = true
	}
	undrawn.Rest = screen.Quiet
	busy := treeOf(text("x"))
	busy.Rest = screen.Busy
	for name, c := range map[string]struct {
		first, then *screen.Tree
		least       int // reads
		want        decide.Kind
	}{
		"a dialog comes to a busy page":     {busy, there, 2, decide.Fail},
		"nothing comes to a busy page":      {busy, busy, 2, decide.Gone},
		"a dialog comes to an undrawn page": {undrawn, there, 2, decide.Fail},
		"nothing comes to an undrawn page":  {undrawn, undrawn, 3, decide.Gone},
		"nothing was at work":               {none, none, 1, decide.Gone},
	} {
		s := scene{want: want(decide.Absent, "Sign in"), show: from(1, c.first, c.then),
			answer: func(int, decide.Question) decide.Answer { return decide.Answer{} }}
		s.want.Timeout, s.want.StepTimeout = 1500*time.Millisecond, 1500*time.Millisecond
		s.want.Earlier.Acted = began
		search, reads, kind := decide.New(s.want), 0, decide.Wait
		for ; kind == decide.Wait && reads < 9; reads++ {
			f := s.frame(reads * 8000)
			f.Now = at(reads*8000 + 8000)
			kind = s.next(search, reads*8000, &f).Kind
		}
		if reads != c.least || kind != c.want {
			t.Errorf("%s: %s after %d reads", name, kind, reads)
		}
	}
}
