package vision_test

import (
	"cmp"
	"fmt"
	"html"
	"image"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/internal/reading"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/vision"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/internal/pixels"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// labelled is an image and what it shows.
type labelled struct {
	name  string
	img   image.Image
	texts []label
	blind []image.Rectangle // where nothing is expected: scripts that the languages here lack, text that is cut
}

type label struct {
	text string
	box  image.Rectangle // zero: anywhere
}

// TestReadingPictures measures the reading of real pixels: screens of the simulated phone and pages in Chromium, twenty
// of each, or two of phones and one page when tests are to be short.
func TestReadingPictures(t *testing.T) {
	pictures, want := append(phonePictures(t), pagePictures(t)...), 40
	if testing.Short() {
		want = 3
	}
	if len(pictures) != want {
		t.Fatalf("%d pictures", len(pictures))
	}
	reader := vision.NewReader(os.Getenv)
	scores := make([]score, len(pictures))
	var work sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i, p := range pictures {
		work.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			page, err := reader.Read(t.Context(), p.img)
			if err != nil {
				t.Errorf("%s: %v", p.name, err)
				return
			}
			scores[i] = p.score(t, page)
		})
	}
	work.Wait()
	var sum score
	for _, s := range scores {
		sum.found, sum.wanted = sum.found+s.found, sum.wanted+s.wanted
		sum.right, sum.read = sum.right+s.right, sum.read+s.read
		sum.lines, sum.allLines = sum.lines+s.lines, sum.allLines+s.allLines
	}
	recall, precision := ratio(sum.found, sum.wanted), ratio(sum.right, sum.read)
	t.Logf("%d pictures: recall of words %.4f (%d of %d), precision of words %.4f (%d of %d), recall of labels %.4f (%d "+
		"of %d)", len(pictures),
		recall, sum.found, sum.wanted, precision, sum.right, sum.read, ratio(sum.lines, sum.allLines), sum.lines,
		sum.allLines)
	if recall < 0.95 || precision < 0.98 || ratio(sum.lines, sum.allLines) < 0.95 {
		t.Errorf("recall must be 0.95 and precision 0.98")
	}
	if sum.wanted < 10*want {
		t.Errorf("only %d words were asked for", sum.wanted)
	}
}

type score struct {
	found, wanted   int // words that are there
	right, read     int // words that were read
	lines, allLines int // labels as an ocr selector looks for them
}

func ratio(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

func (p labelled) score(t *testing.T, page []drivers.TextLine) (s score) {
	var read []drivers.TextLine
	for _, l := range page {
		read = append(read, l.Words...)
	}
	used := make([]bool, len(read))
	for _, l := range p.texts {
		for _, word := range strings.Fields(l.text) {
			s.wanted++
			i := slices.IndexFunc(read, func(w drivers.TextLine) bool { return w.Text == word && l.holds(w.Bounds) })
			for i >= 0 && used[i] { // each is read once
				next := slices.IndexFunc(read[i+1:], func(w drivers.TextLine) bool { return w.Text == word && l.holds(w.Bounds) })
				if i += next + 1; next < 0 {
					i = -1
				}
			}
			if i < 0 {
				t.Logf("%s: %q of %q was not read", p.name, word, l.text)
				continue
			}
			used[i] = true
			s.found++
		}
		s.allLines++
		if hits := reading.Find(page, l.text); len(hits) > 0 {
			s.lines++
		}
	}
	for i, w := range read {
		centre := w.Bounds.Min.Add(w.Bounds.Size().Div(2))
		if !used[i] && slices.ContainsFunc(p.blind, centre.In) {
			continue
		}
		s.read++
		if used[i] {
			s.right++
		} else {
			t.Logf("%s: %q was read at %v (%.2f)", p.name, w.Text, w.Bounds, w.Confidence)
		}
	}
	return s
}

func (l label) holds(box image.Rectangle) bool {
	return l.box.Empty() || box.Min.Add(box.Size().Div(2)).In(l.box)
}

// TestSlowTesseractReadsTheSame: how long tesseract takes to start and to answer changes nothing that is read.
func TestSlowTesseractReadsTheSame(t *testing.T) {
	img, _ := still(t, launched(t, androidsim.LoginPackage))
	quick, err := vision.NewReader(os.Getenv).Read(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	tesseract, err := toolchain.Find(t.Context(), toolchain.NewHost(os.Getenv, os.Environ()), toolchain.Tesseract)
	if err != nil {
		t.Fatal(err)
	}
	slow := filepath.Join(t.TempDir(), "tesseract")
	testutil.WriteProgram(t, slow, fmt.Sprintf("#!/bin/sh\ncase $1 in stdin) sleep 0.4;; *) exec %[1]q \"$@\";; esac\n"+
		"%[1]q \"$@\" | while IFS= read -r line; do printf '%%s\\n' \"$line\"; sleep 0.01; done\n", tesseract.Path), 0o755)
	read, err := vision.NewReader(func(name string) string {
		if name == "TAPROOT_TESSERACT" {
			return slow
		}
		return os.Getenv(name)
	}).Read(t.Context(), img)
	if err != nil || !reflect.DeepEqual(read, quick) {
		t.Errorf("a slow tesseract gives %v (%v), a quick one %v", read, err, quick)
	}
	if len(quick) == 0 {
		t.Error("nothing was read")
	}
}

func launched(t *testing.T, app string) drivers.Device {
	t.Helper()
	dev := phone(t, androidsim.Options{Width: 720, Height: 1600, Density: 280, LoginLoading: 1})
	launch(t, dev, app)
	return dev
}

// phonePictures takes screens of simulated phones.
func phonePictures(t *testing.T) []labelled {
	sizes := []androidsim.Options{
		{Width: 1080, Height: 2400, Density: 420, LoginLoading: 1}, // the form at once, or "Loading…" might be labelled
		{Width: 720, Height: 1600, Density: 280, LoginLoading: 1},
	}
	swipes, rows := 4, []string{"Payments", "Overlay", "Twice", "Form"}
	if testing.Short() {
		sizes, swipes, rows = sizes[1:], 0, nil
	}
	var out []labelled
	for _, o := range sizes {
		dev := phone(t, o)
		take := func(name string) {
			img, tree := still(t, dev)
			out = append(out, labelPhone(fmt.Sprintf("%s-%d", name, o.Width), img, tree))
		}
		launch(t, dev, androidsim.LoginPackage)
		take("login")
		launch(t, dev, androidsim.ListPackage)
		take("list")
		for i := range swipes {
			b := dev.Info()
			from := image.Pt(b.Width/2, b.Height*3/4)
			if err := dev.(drivers.Gestures).Swipe(t.Context(), from, from.Sub(image.Pt(0, b.Height/2)),
				700*time.Millisecond); err != nil {
				t.Fatal(err)
			}
			take(fmt.Sprintf("list-%d", i))
		}
		for _, row := range rows {
			launch(t, dev, androidsim.ListPackage)
			tap(t, dev, row)
			take(row)
		}
	}
	return out
}

func phone(t *testing.T, o androidsim.Options) drivers.Device {
	t.Helper()
	server, phones := androidsim.Start(t, o)
	driver := android.New(android.Options{NotesDir: t.TempDir(), Getenv: server.Getenv, FindADB: androidsim.NoADB})
	t.Cleanup(func() { _ = driver.Close() })
	dev, err := driver.Open(t.Context(), phones[0].Serial())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return dev
}

func launch(t *testing.T, dev drivers.Device, app string) {
	t.Helper()
	if err := dev.(drivers.Apps).Launch(t.Context(), app, true); err != nil {
		t.Fatal(err)
	}
	rest(t, dev)
}

func tap(t *testing.T, dev drivers.Device, text string) {
	t.Helper()
	for n := range rest(t, dev).All {
		if n.Text == text {
			if err := dev.Tap(t.Context(), n.Bounds.Min.Add(n.Bounds.Size().Div(2))); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no %q to tap", text)
}

// still takes a screenshot and the tree of one moment: the elements before and after the screenshot are the same. On
// a slow machine the screen of the tree is gone before the screenshot is taken, and its texts would label the next one.
func still(t *testing.T, dev drivers.Device) (image.Image, *screen.Tree) {
	t.Helper()
	for tree := rest(t, dev); ; {
		img, err := dev.Screenshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		after, err := dev.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(tree.Texts(500)) == fmt.Sprint(after.Texts(500)) {
			return img, tree
		}
		tree = after
	}
}

// rest waits until trees are alike for a moment.
func rest(t *testing.T, dev drivers.Device) *screen.Tree {
	t.Helper()
	var since time.Time
	var last string
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		tree, err := dev.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if now := fmt.Sprint(tree.Texts(500)); now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > 300*time.Millisecond {
			return tree
		}
	}
	t.Fatal("the screen does not rest")
	return nil
}

// labelPhone takes the tree's word for what is drawn.
func labelPhone(name string, img image.Image, tree *screen.Tree) labelled {
	// its clock shows what is not labelled
	p := labelled{name: name, img: img, blind: []image.Rectangle{pixels.StatusBar(img.Bounds().Size())}}
	var nodes []*screen.Node
	for n := range tree.All {
		if cmp.Or(n.Text, n.Hint) != "" && !n.Bounds.Empty() && n.Bounds.In(img.Bounds()) {
			nodes = append(nodes, n)
		}
	}
	covers := slices.IndexFunc(nodes, func(n *screen.Node) bool { return n.Text == "Cookie banner" })
	footer := slices.IndexFunc(nodes, func(n *screen.Node) bool { return strings.HasSuffix(n.ID, "/status") })
	for _, n := range nodes {
		text := cmp.Or(n.Text, n.Hint)
		cut := footer >= 0 && n != nodes[footer] && n.Bounds.Max.Y > nodes[footer].Bounds.Min.Y ||
			n.Bounds.Min.Y < img.Bounds().Dy()/9 && strings.HasPrefix(text, "Item")
		if covers >= 0 && n.Text == "Behind" {
			continue
		}
		if cut || strings.ContainsFunc(text, func(r rune) bool { return r > 0x7e && r != 0xa0 }) {
			p.blind = append(p.blind, n.Bounds)
			continue
		}
		p.texts = append(p.texts, label{text, n.Bounds})
	}
	return p
}

// pagePictures takes pages in Chromium: three fonts, sizes from 20 to 48 pixels, light and dark, in buttons and on
// canvas.
func pagePictures(t *testing.T) []labelled {
	driver := web.New(web.Options{})
	t.Cleanup(func() { _ = driver.Close() })
	dev, err := driver.Open(t.Context(), "web-1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	phrases := []string{"Sign in to your account", "Total 42.50 EUR", "Order 10837 was paid", "Your basket is empty",
		"Check out now", "Unpaid since Monday",
		"Delete everything?", "Welcome back, Ada", "Score 1280 of 4096", "Next page", "Loading, please wait",
		"Battery 73 percent", "Hello canvas",
		"Free shipping over 25", "Account settings", "Wrong password", "Remember me", "March 14, 2026", "Level 12 complete",
		"Game over"}
	colours := [][2]string{{"#ffffff", "#1c1b1f"}, {"#121212", "#e8e8e8"}, {"#6750a4", "#ffffff"}, {"#fff8e1", "#5d4037"},
		{"#004d40", "#e0f2f1"}}
	fonts := []string{"sans-serif", "serif", "monospace"}
	pages := 20
	if testing.Short() {
		pages = 1
	}
	var out []labelled
	for i := range pages {
		p := labelled{name: fmt.Sprintf("page-%d", i)}
		var body strings.Builder
		colour := colours[i%len(colours)]
		fmt.Fprintf(&body, "<!doctype html><meta charset=utf-8><body style='margin:24px;background:%s;color:%s'>", colour[0],
			colour[1])
		for j := range 6 {
			text := phrases[(i*7+j*3)%len(phrases)]
			p.texts = append(p.texts, label{text: text})
			size, font := []int{20, 22, 24, 28, 36, 48}[(i+j)%6], fonts[(i+j)%3]
			style := fmt.Sprintf("font:%dpx %s", size, font)
			switch j {
			case 3: // another colour, tight around its text
				other := colours[(i+2)%len(colours)]
				fmt.Fprintf(&body, "<p><button style='%s;background:%s;color:%s'>%s</button></p>", style, other[0], other[1],
					html.EscapeString(text))
			case 4:
				other := colours[(i+1)%len(colours)]
				fmt.Fprintf(&body,
					"<canvas id=c width=800 height=90></canvas><script>const "+
						"x=document.getElementById('c').getContext('2d');x.fillStyle=%q;x.fillRect(0,0,800,90);"+
						"x.fillStyle=%q;x.font='%dpx %s';x.fillText(%q,30,60)</script>", other[0], other[1], size, font, text)
			case 5:
				fmt.Fprintf(&body, "<p style='%s;font-weight:bold'>%s</p>", style, html.EscapeString(text))
			default:
				fmt.Fprintf(&body, "<p style='%s'>%s</p>", style, html.EscapeString(text))
			}
		}
		if err := dev.(drivers.Browser).OpenPage(t.Context(), "data:text/html;charset=utf-8,"+url.PathEscape(body.String()),
			drivers.PageOptions{Viewport: image.Pt(900, 720)}); err != nil {
			t.Fatal(err)
		}
		if p.img, err = dev.Screenshot(t.Context()); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// labelledScreen draws a text, large and black.
func labelledScreen(text string) *image.RGBA {
	img := randomScreen(0)
	d := font.Drawer{Dst: img, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(100, 600)}
	d.DrawString(text)
	return img
}
