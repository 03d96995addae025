package truth_test

import (
	"image"
	"image/color"
	"slices"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

const (
	pass  = event.Pass
	fails = event.Fail
	wrong = event.Error
)

// phoneTraps are all traps of phones.
func phoneTraps() []*trap {
	return slices.Concat(secureTraps(), awayTraps(), seenTraps(), keyboardTraps(), touchTraps(), barTraps(),
		otherTraps(), wildTraps(), appTraps(), rowTraps(), reportTraps(), frameworkTraps(), oldPhoneTraps())
}

// secureTraps are screens of which the app forbids screenshots.
func secureTraps() (list []*trap) {
	phones := map[string]androidsim.Options{"24": {API: 24}, "24 zeros": {API: 24, Secure: androidsim.SecureZeros},
		"27": {API: 27}, "30": {API: 30},
		"34": {}, "34 black": {Secure: androidsim.SecureBlack}, "36": {API: 36}}
	safe := func(parts ...func(s *stage) androidsim.Part) func(*stage, androidsim.Moment) androidsim.Shown {
		return func(s *stage, _ androidsim.Moment) androidsim.Shown {
			shown := androidsim.Shown{Secure: true, Page: []androidsim.Part{label("Balance 1,234", at(1)),
				s.press("Transfer", at(3)), label("Done "+s.state, at(5))}}
			for _, p := range parts {
				shown.Page = append(shown.Page, p(s))
			}
			return shown
		}
	}
	veil := func(*stage) androidsim.Part {
		return androidsim.Part{Class: "android.widget.FrameLayout", Bounds: image.Rect(0, 30, trapSize, 300)}
	}
	notice := func(*stage) androidsim.Part {
		return androidsim.Part{Class: "android.widget.TextView", Text: "Maintenance tonight", Fill: color.White,
			Bounds: image.Rect(0, 30, trapSize, 200)}
	}
	if testing.Short() {
		phones = map[string]androidsim.Options{"34": {}, "36": {API: 36}}
	}
	for name, o := range phones {
		add := func(what string, c trap) {
			c.name, c.options = "forbidden pictures "+name+"/"+what, o
			if o.API != 0 && o.API < 28 { // the simulated 27 is a 24
				c.way = "stock"
			}
			list = append(list, &c)
		}
		add("the elements are read and touched",
			trap{show: safe(),
				steps: "- assert: Balance 1,234\n- tap: Transfer\n- assert: Done Transfer\n- assertNot: Error\n- " +
					"waitStable: {}", want: pass, taps: "Transfer"})
		add("the report says why", trap{show: safe(), steps: "- assert: Balance 1,234", want: pass,
			says: "forbids screenshots of"})
		add("what is not there", trap{show: safe(), steps: "- assert: Balance 99", want: fails, says: "did not appear"})
		add("what is there", trap{show: safe(), steps: "- assertNot: Balance 1,234", want: fails, says: "still there"})
		add("under a clear layer", trap{show: safe(veil), steps: "- assert: Balance 1,234", want: pass,
			says: "is unknown"})
		add("not under a clear layer", trap{show: safe(veil), steps: "- assertNot: Balance 1,234", want: fails})
		add("under another text", trap{show: safe(notice), steps: "- assert: Balance 1,234", want: wrong,
			says: "is unknown"})
		add("not under another text", trap{show: safe(notice), steps: "- assertNot: Balance 1,234", want: wrong,
			says: "is unknown"})
		add("a text in pixels", trap{show: safe(), steps: "- assert: {ocr: Balance}", want: wrong,
			says: "forbids screenshots"})
		add("no text in pixels", trap{show: safe(), steps: "- assertNot: {ocr: Balance}", want: wrong,
			says: "forbids screenshots"})
		add("an image", trap{show: safe(), steps: "- assert: {image: icon.png}", want: wrong, says: "forbids screenshots"})
		add("no image", trap{show: safe(), steps: "- assertNot: {image: icon.png}", want: wrong, says: "forbids screenshots"})
		add("a baseline", trap{show: safe(), steps: "- assertScreenshot: home", want: wrong, says: "forbids screenshots",
			update: true})
		add("a place", trap{show: safe(), steps: "- tap: {point: \"50%,29%\"}\n- assert: Done Transfer", want: pass,
			taps: "Transfer"})
		add("swiped", trap{show: safe(), steps: "- swipe: up\n- assert: Balance 1,234", want: pass})
		add("pictures again",
			trap{steps: "- waitFor: {visible: {ocr: Balance}, timeoutMs: 5000}\n- assertNot: {ocr: " +
				"Nothing}", want: pass, show: func(s *stage, now androidsim.Moment) androidsim.Shown {
				shown := safe()(s, now)
				shown.Secure = now.Since < 300*time.Millisecond
				return shown
			}})
		add("a moving button", trap{steps: "- tap: Go", want: pass, taps: "Go",
			show: func(s *stage, now androidsim.Moment) androidsim.Shown {
				y := max(0, 200-int(now.Since.Milliseconds()))
				under := s.press("Delete", image.Rect(16, 100, 384, 148).Add(image.Pt(0, 420)))
				return androidsim.Shown{Secure: true, Page: []androidsim.Part{
					under, s.press("Go", image.Rect(16, 100, 384, 148).Add(image.Pt(0, y)))}}
			}})
	}
	for _, c := range []*trap{
		{name: "a dialog that forbids pictures/a text in pixels", steps: "- assert: {ocr: Password}", want: wrong,
			says: "forbids screenshots", options: androidsim.Options{API: 36}},
		{name: "a dialog that forbids pictures/its elements", steps: "- assert: Password", want: pass,
			options: androidsim.Options{API: 36}},
	} {
		c.show = func(s *stage, _ androidsim.Moment) androidsim.Shown {
			shown := page(label("Balance 1,234", at(1)))
			shown.Dialog = &androidsim.Part{Class: "android.widget.FrameLayout", Secure: true, Fill: color.White,
				Bounds: image.Rect(40, 200, 360, 500),
				Parts:  []androidsim.Part{label("Password", image.Rect(60, 220, 340, 270))}}
			return shown
		}
		list = append(list, c)
	}
	return list
}

// awayTraps are phones on which something else than the app's screen is seen by the time of a result.
func awayTraps() (list []*trap) {
	add := func(name string, do func(a androidsim.App), steps string, want event.Result, says string,
		o androidsim.Options) {
		list = append(list, &trap{name: name, steps: steps, want: want, says: says, options: o, taps: "Pay",
			show: func(s *stage, now androidsim.Moment) androidsim.Shown {
				pay := s.press("Pay", at(3))
				pay.Tapped = func() { s.took("Pay")(); do(now.App) }
				return page(label("Your order", at(1)), pay)
			}})
	}
	none, locks := androidsim.Options{}, androidsim.App.Lock
	told := androidsim.Options{TellsWhenOff: true}
	for what, o := range map[string]androidsim.Options{"with a PIN": {Lock: androidsim.PINLock},
		"with a swipe": {Lock: androidsim.SwipeLock}} {
		add("locked "+what+"/absence", locks, "- tap: Pay\n- assertNot: Error", wrong, "locked", o)
		add("locked "+what+"/absence that is waited for", locks, "- tap: Pay\n- waitFor: {gone: Your order}", wrong,
			"locked", o)
		add("locked "+what+"/no more of it", locks, "- tap: Pay\n- assertElement: {label: Your order, count: 0}", wrong,
			"locked", o)
		add("locked "+what+"/presence", locks, "- tap: Pay\n- assert: Your order", wrong, "locked", o)
		add("locked "+what+"/touch", locks, "- tap: Pay\n- tap: Your order", wrong, "locked", o)
		add("locked "+what+"/condition", locks, "- tap: Pay\n- if: {notVisible: Your order, then: [{log: gone}]}", wrong,
			"locked", o)
	}
	asleep := androidsim.App.Sleep
	add("asleep/absence", asleep, "- tap: Pay\n- assertNot: Error", wrong, "off", none)
	add("asleep/presence", asleep, "- tap: Pay\n- assert: Your order", wrong, "off", none)
	add("asleep/touch", asleep, "- tap: Pay\n- tap: Your order", wrong, "off", none)
	add("asleep, and its elements are told/absence", asleep, "- tap: Pay\n- assertNot: Error", wrong, "off", told)
	add("asleep, and its elements are told/presence", asleep, "- tap: Pay\n- assert: Your order", wrong, "off", told)
	add("asleep, and its elements are told/touch", asleep, "- tap: Pay\n- tap: Your order", wrong, "off", told)
	point := "tap: {point: \"50%,50%\"}"
	for name, step := range map[string]string{"touch of a point": point, "swipe": "swipe: {direction: up}"} {
		add("asleep, and its elements are told/"+name, asleep, "- tap: Pay\n- "+step, wrong, "off", told)
		list[len(list)-1].way = "agent"
	}
	add("awake/absence", func(androidsim.App) {}, "- tap: Pay\n- assertNot: Error", pass, "", none)
	add("crashed/absence", func(a androidsim.App) { a.Crash("java.lang.IllegalStateException: basket is empty") },
		"- tap: Pay\n- assertNot: Your order", fails, "crashed", none)
	add("frozen/absence", func(a androidsim.App) { a.Freeze("") }, "- tap: Pay\n- assertNot: Your order", fails,
		"respond", none)
	add("another app complained of/absence", func(a androidsim.App) { a.Freeze(launcher) },
		"- tap: Pay\n- assertNot: Your order", wrong, "respond", none)
	add("another app complained of/presence", func(a androidsim.App) { a.Freeze(launcher) },
		"- tap: Pay\n- assert: Your order", wrong, "respond", none)
	add("ended itself/absence", androidsim.App.Finish, "- tap: Pay\n- assertNot: Your order", pass,
		"is in the foreground", none)
	add("ended itself/presence", androidsim.App.Finish, "- tap: Pay\n- assert: Your order", fails, "did not appear", none)
	return list
}

const launcher = "com.google.android.apps.nexuslauncher"
