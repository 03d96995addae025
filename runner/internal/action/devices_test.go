package action_test

import (
	"errors"
	"image"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/vision"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// simulated returns a session on a simulated phone behind a server of its own.
func simulated(t *testing.T) *action.Performer {
	t.Helper()
	server, _ := androidsim.Start(t, androidsim.Small)
	driver := android.New(android.Options{NotesDir: t.TempDir(), Getenv: server.Getenv, FindADB: androidsim.NoADB})
	t.Cleanup(func() { _ = driver.Close() })
	return sessionOn(t, driver, "SIM1", dsl.Android)
}

// browser returns a session in Chromium.
func browser(t *testing.T) *action.Performer {
	t.Helper()
	return sessionOn(t, chromium, "web-1", dsl.Web)
}

func sessionOn(t *testing.T, driver drivers.Driver, id string, platform dsl.Platform) *action.Performer {
	t.Helper()
	dev, err := driver.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		visited.Delete(dev)
		_ = dev.Close()
	})
	work := t.TempDir()
	return &action.Performer{Device: dev, Platform: platform, Timeout: 8 * time.Second, Settings: action.Settings{
		Dir: t.TempDir(), Work: work, Vision: visionWithoutModel()},
		Support: action.Support{Files: keeping(func(name, from string) (string, error) {
			data, err := os.ReadFile(from)
			if err == nil {
				err = os.MkdirAll(work+"/kept/artifacts", 0o755)
			}
			if err == nil {
				err = os.WriteFile(work+"/kept/"+name, data, 0o644)
			}
			return name, err
		})}}
}

// visionWithoutModel reads texts and finds images.
var visionWithoutModel = sync.OnceValue(func() drivers.Vision { return vision.New(vision.Options{Mode: vision.Off}) })

// visited are the devices that have a page open.
var visited sync.Map

// visit shows a page of the test's own, in the window that the test has open if there is one: a fresh one takes
// Chromium half a second.
func visit(t *testing.T, s *action.Performer, body string) {
	t.Helper()
	goTo(t, s, "data:text/html;charset=utf-8,"+url.PathEscape("<!doctype html><meta charset=utf-8><body style='margin:0'>"+
		body))
}

// goTo shows the page at an address, as visit does.
func goTo(t *testing.T, s *action.Performer, page string) {
	t.Helper()
	var err error
	if _, open := visited.LoadOrStore(s.Device, true); open {
		err = s.Device.(drivers.Navigator).Navigate(t.Context(), page, time.Minute)
	} else {
		err = s.Device.(drivers.Browser).OpenPage(t.Context(), page, drivers.PageOptions{Viewport: image.Pt(600, 800)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// follow opens a link on a phone.
func follow(t *testing.T, s *action.Performer, link string) {
	t.Helper()
	if err := s.Device.(drivers.AppManager).OpenLink(t.Context(), link, androidsim.ListPackage); err != nil {
		t.Fatal(err)
	}
}

// do performs one step with a detail of its own.
func do(t *testing.T, s *action.Performer, args any) (event.Result, error) {
	t.Helper()
	s.Detail = &event.Detail{}
	err := action.Perform(t.Context(), s, args)
	return action.ResultOf(err), err
}

// motion is a screen that moves in some way, on both platforms.
type motion struct {
	name   string
	link   string // on the phone
	page   string // in the browser
	result event.Result
	phone  image.Rectangle // where the unrest is, per mille of the screen
	web    image.Rectangle
	least  time.Duration
}

func motions() []motion {
	return []motion{
		{name: "clock", link: "clock://x", result: event.Pass,
			page: `<p id=c style="font:40px monospace"></p><script>setInterval(()=>{c.textContent=new ` +
				`Date().toISOString()},1000)</script>`},
		{name: "spinner", link: "spinner://x", result: event.Fail, phone: image.Rect(350, 300, 700, 600),
			web: image.Rect(0, 0, 300, 300),
			page: `<style>@keyframes r{to{transform:rotate(360deg)}}</style><div ` +
				`style="width:60px;height:60px;margin:30px;border:8px solid ` +
				`#ddd;border-top-color:#00f;border-radius:50%;animation:r 1s linear infinite"></div>`},
		{name: "video", link: "video://x", result: event.Fail, phone: image.Rect(0, 100, 1000, 600),
			web: image.Rect(0, 0, 800, 600),
			page: `<canvas id=v width=320 height=180></canvas><script>const x=v.getContext('2d');setInterval(()=>{for(let ` +
				`i=0;i<16;i++){x.fillStyle='hsl('+Math.random()*360+' 80% 50%)';` +
				`x.fillRect(i%8*40,(i/8|0)*90,40,90)}},41)</script>`},
		{name: "list that scrolls", link: "fling://x", result: event.Pass, least: time.Second,
			page: `<div id=l></div><script>for(let i=0;i<80;i++)l.innerHTML+='<p>Row '+i+'</p>';const ` +
				`t0=performance.now();(function f(){const ` +
				`t=Math.min(performance.now()-t0,1200);scrollTo(0,t/2);if(t<1200)requestAnimationFrame(f)})()</script>`},
	}
}

func TestWaitStableOnThePhone(t *testing.T) {
	t.Parallel()
	s := simulated(t)
	for _, m := range testutil.Few(2, motions()) {
		s.Timeout = m.patience()
		began := time.Now()
		follow(t, s, m.link)
		result, err := do(t, s, dsl.WaitStable{})
		m.check(t, s, result, err, time.Since(began), m.phone)
	}
	// The caret of a field that has the focus.
	s.Timeout = passes
	if result, err := do(t, s, dsl.Launch{Package: androidsim.LoginPackage, Force: true}); result != event.Pass {
		t.Fatal(err)
	}
	if result, err := do(t, s, dsl.Tap{Selector: dsl.Selector{Label: "E-mail"}}); result != event.Pass {
		t.Fatal(err)
	}
	if result, err := do(t, s, dsl.WaitStable{}); result != event.Pass {
		t.Errorf("caret: %v", err)
	}
}

func TestWaitStableInTheBrowser(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestWaitStableOnThePhone remains, and waitStable on a page in package vocabulary")
	s := browser(t)
	for _, m := range motions() {
		s.Timeout = m.patience()
		began := time.Now()
		visit(t, s, m.page)
		result, err := do(t, s, dsl.WaitStable{})
		m.check(t, s, result, err, time.Since(began), m.web)
	}
	s.Timeout = passes
	visit(t, s, `<input autofocus style="font:30px sans-serif" value=caret>`)
	if result, err := do(t, s, dsl.WaitStable{}); result != event.Pass {
		t.Errorf("caret: %v", err)
	}
}

// patience is long where the screen is to come to rest.
func (m motion) patience() time.Duration {
	if m.result == event.Pass {
		return passes
	}
	return 3 * time.Second
}

// check compares a waitStable with what the motion calls for.
func (m motion) check(t *testing.T, s *action.Performer, result event.Result, err error, took time.Duration,
	where image.Rectangle) {
	t.Helper()
	if result != m.result || took < m.least {
		t.Errorf("%s: %s after %s, %v", m.name, result, took, err)
	}
	if result != event.Fail || m.result != event.Fail {
		return
	}
	b := s.Detail.Bounds
	img, shotErr := s.Device.Screenshot(t.Context())
	if b == nil || shotErr != nil {
		t.Errorf("%s: no region, %v", m.name, shotErr)
		return
	}
	size := img.Bounds().Size()
	area := image.Rect(where.Min.X*size.X/1000, where.Min.Y*size.Y/1000, where.Max.X*size.X/1000, where.Max.Y*size.Y/1000)
	if got := image.Rect(b[0], b[1], b[2], b[3]); got.Empty() || !got.In(area) ||
		!strings.Contains(err.Error(), "kept changing") {
		t.Errorf("%s: the region %v is not in %v: %v", m.name, got, area, err)
	}
}

// TestOCRSelectors taps and asserts what is in no tree; in the short mode on the phone alone.
func TestOCRSelectors(t *testing.T) {
	t.Parallel()
	phone := simulated(t)
	follow(t, phone, "canvas://x")
	sessions := map[string]*action.Performer{"phone": phone}
	if !testing.Short() {
		sessions["web"] = browser(t)
		visit(t, sessions["web"],
			`<canvas id=c width=600 height=400></canvas><script>const x=c.getContext('2d');let said='';function `+
				`d(){x.fillStyle='#203040';x.fillRect(0,0,600,400);x.fillStyle='#fff8e1';
		x.font='30px sans-serif';x.fillText('Hello canvas',40,60);x.fillText('Lives 3 of `+
				`5',40,110);x.fillText(said,40,350);x.fillStyle='#6750a4';x.fillRect(40,180,220,60);x.fillStyle='#fff';`+
				`x.fillText('Play now',70,220)}
		d();c.onclick=e=>{if(e.offsetX>40&&e.offsetX<260&&e.offsetY>180&&e.offsetY<240){said='Game started';d()}}</script>`)
	}
	for name, s := range sessions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Timeout = passes
			pass := func(args any) {
				t.Helper()
				if result, err := do(t, s, args); result != event.Pass {
					t.Errorf("%+v: %s, %v", args, result, err)
				}
			}
			fail := func(args any) {
				t.Helper()
				s.Timeout = time.Second
				defer func() { s.Timeout = passes }()
				result, err := do(t, s, args)
				var f *action.Failure
				if result != event.Fail || !errors.As(err, &f) || f.Message == "" {
					t.Errorf("%+v: %s, %v", args, result, err)
				}
			}
			pass(dsl.Assert{Selector: dsl.Selector{OCR: "Hello canvas"}})
			if !strings.HasPrefix(s.Detail.Tier, "ocr 1.00") || s.Reading == nil || len(s.Reading.Lines) == 0 {
				t.Errorf("tier %q, reading %+v", s.Detail.Tier, s.Reading)
			}
			if !testing.Short() {
				pass(dsl.Assert{Selector: dsl.Selector{OCR: "canvas"}}) // a word within a line
			}
			fail(dsl.Assert{Selector: dsl.Selector{OCR: "Lives 4 of 5"}})
			if s.Reading == nil || len(s.Reading.Near) == 0 || s.Reading.Near[0].Text != "Lives 3 of 5" {
				t.Errorf("nearest %+v", s.Reading)
			}
			if !testing.Short() { // each reads several screenshots
				fail(dsl.Assert{Selector: dsl.Selector{OCR: "Game started"}})
				fail(dsl.Assert{Selector: dsl.Selector{Label: "Hello canvas"}}) // without fallback the tree alone counts
				pass(dsl.AssertNot{Selector: dsl.Selector{OCR: "Game over"}})
				if len(s.Detail.Warnings) == 0 {
					t.Error("there is no warning")
				}
				fail(dsl.AssertNot{Selector: dsl.Selector{OCR: "Hello canvas"}})
			}
			pass(dsl.Tap{Selector: dsl.Selector{Label: "Play now", Fallback: "ocr"}})
			if notes := strings.Join(s.Detail.Notes, "\n"); !strings.Contains(notes, "read in the pixels") {
				t.Errorf("the report does not say that OCR was used: %q", notes)
			}
			pass(dsl.Assert{Selector: dsl.Selector{OCR: "Game started"}})
		})
	}
}
