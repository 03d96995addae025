package android

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

const sceneApp = "com.example.scene"

// onScene opens a phone with the agent and an app that shows a scene.
func onScene(t *testing.T, scene androidsim.Scene) (*Device, *androidsim.Phone) {
	t.Helper()
	d, p := openAgent(t, small())
	p.InstallScene(sceneApp, "Scene", scene)
	launch(t, d, sceneApp)
	return d, p
}

func agentTree(t *testing.T, d *Device) *screen.Tree {
	t.Helper()
	tree, err := d.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestAgentRowOfAnotherContent: an element that has become something else between look and touch is not touched,
// although it keeps its place and id.
func TestAgentRowOfAnotherContent(t *testing.T) {
	t.Parallel()
	var switched bool
	d, p := onScene(t, func(androidsim.Moment) androidsim.Shown {
		row := androidsim.Part{ID: sceneApp + ":id/action", Text: "Archive", Bounds: image.Rect(20, 200, 500, 260),
			Clickable: true}
		if switched {
			row.Text = "Delete"
		}
		return androidsim.Shown{Page: []androidsim.Part{row}}
	})
	row := waitNode(t, d, "Archive")
	p.Change(func() { switched = true })
	d.Aim(row)
	if err := d.Tap(t.Context(), centre(row)); !errors.Is(err, drivers.ErrMissed) || len(p.Taps()) != 0 {
		t.Errorf("%v, %v", err, p.Taps())
	}
}

// TestAgentRanges: the number that the agent returns as the text of a slider is not visible.
func TestAgentRanges(t *testing.T) {
	t.Parallel()
	d, _ := onScene(t, func(androidsim.Moment) androidsim.Shown {
		return androidsim.Shown{Page: []androidsim.Part{
			{Class: "android.widget.SeekBar", ID: sceneApp + ":id/volume", Level: "50.0", Bounds: image.Rect(20, 200, 500, 260)},
			{Text: "12.5", Bounds: image.Rect(20, 300, 500, 360)},
		}}
	})
	waitNode(t, d, "12.5")
	tree := agentTree(t, d)
	bar := findNode(tree, "volume")
	if bar == nil || bar.Text != "" || bar.Value() != "50.0" {
		t.Errorf("%+v", bar)
	}
}

// TestAgentDepth: a screen that is deeper than the agent returns at first is read whole.
func TestAgentDepth(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{60, 120, 260} {
		d, _ := onScene(t, func(androidsim.Moment) androidsim.Shown {
			part := androidsim.Part{Text: "At the bottom", Bounds: image.Rect(20, 200, 500, 260)}
			for range depth {
				part = androidsim.Part{Class: "android.view.ViewGroup", Bounds: image.Rect(0, 100, 540, 900),
					Parts: []androidsim.Part{part}}
			}
			return androidsim.Shown{Page: []androidsim.Part{part}}
		})
		if waitNode(t, d, "At the bottom") == nil {
			t.Errorf("%d levels", depth)
		}
	}
}

// TestAgentForbiddenCharacters: what XML forbids is a question mark in the tree, and no reason to take an element for
// another.
func TestAgentForbiddenCharacters(t *testing.T) {
	t.Parallel()
	d, p := onScene(t, func(androidsim.Moment) androidsim.Shown {
		return androidsim.Shown{Page: []androidsim.Part{{ID: sceneApp + ":id/odd", Text: "Bell\x07 & <b>\n\"quoted\" 👍",
			Bounds: image.Rect(20, 200, 500, 260), Clickable: true}}}
	})
	odd := waitNode(t, d, "odd")
	if odd.Text != "Bell? & <b>\n\"quoted\" 👍" {
		t.Errorf("%q", odd.Text)
	}
	d.Aim(odd)
	if err := d.Tap(t.Context(), centre(odd)); err != nil || len(p.Taps()) != 1 {
		t.Errorf("%v, %v", err, p.Taps())
	}
}

// TestAgentHugeText: what the agent would refuse without a word is refused with one, and costs no restart.
func TestAgentHugeText(t *testing.T) {
	t.Parallel()
	d, p := openAgent(t, small())
	launch(t, d, androidsim.LoginPackage)
	tapOn(t, d, "email")
	err := d.Type(t.Context(), strings.Repeat("ü", 40000))
	if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(err.Error(), "65536 bytes") ||
		p.AgentAsked("GET status") > 60 {
		t.Errorf("%v", err)
	}
}

// TestAgentWaitsForWindowAnimations: the agent responds to a touch only when windows are stationary, and nothing is
// touched twice meanwhile.
func TestAgentWaitsForWindowAnimations(t *testing.T) {
	t.Parallel()
	o := small()
	o.WindowAnimation = 5 * time.Second
	if testing.Short() {
		o.WindowAnimation = 200 * time.Millisecond
	}
	d, p := openAgent(t, o)
	if err := d.Tap(t.Context(), image.Pt(100, 300)); err != nil || len(p.Taps()) != 1 {
		t.Errorf("%v, %v", err, p.Taps())
	}
}

// TestAgentLeavesThePhoneAsItWas: no setting, no service of the user's, no forwarded port, nothing that listens.
func TestAgentLeavesThePhoneAsItWas(t *testing.T) {
	t.Parallel()
	driver, phones, server := newPhones(t, small())
	p := phones[0]
	before := p.AllSettings()
	withAgent(driver, agent.Require, agentFolder(t, "10.6.6", 278))
	dev, err := driver.Open(t.Context(), p.Serial())
	if err != nil {
		t.Fatal(err)
	}
	if p.AgentSuspends() {
		t.Error("the user's accessibility services are suspended")
	}
	if _, err := dev.Tree(t.Context()); err != nil {
		t.Error(err)
	}
	if n := server.Forwards(); n != 0 {
		t.Errorf("%d ports of this machine are forwarded", n)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	if now := p.AllSettings(); now != before {
		t.Errorf("settings:\n%s\ninstead of\n%s", now, before)
	}
	if p.AgentListens() || p.HoldAutomation(true) == false {
		t.Error("the agent is still there")
	}
}

// TestAgentThatCannotServeIsStopped: it continues to listen for every caller when its session was refused, unless it is
// stopped at once.
func TestAgentThatCannotServeIsStopped(t *testing.T) {
	t.Parallel()
	driver, phones, _ := newPhones(t, small())
	phones[0].HoldAutomation(true)
	withAgent(driver, agent.Auto, agentFolder(t, "10.6.6", 278))
	dev, err := driver.Open(t.Context(), phones[0].Serial())
	if err != nil {
		t.Fatal(err)
	}
	if said := dev.(*Device).TreeReadBy(); phones[0].AgentListens() || !strings.Contains(said, "session not created") {
		t.Errorf("it listens; %q", said)
	}
}

// TestAgentInstallations: what phones make of the two packages.
func TestAgentInstallations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		o    androidsim.Options
		put  func(p *androidsim.Phone)
		says string // "": the agent reads the screen
	}{
		{"two certificates", androidsim.Options{}, func(p *androidsim.Phone) {
			p.PutAgent("10.6.6", 278, "a40da80a")
			p.SignAgentTests("beef")
		}, ""},
		{"an am without options", androidsim.Options{PlainAm: true}, nil, ""},
		{"an unanswered question", androidsim.Options{InstallPrompt: true}, nil,
			"answer the question on its screen"},
		{"a refusal", androidsim.Options{RefusesInstalls: true}, nil, "Install via USB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			driver, phones, _ := newPhones(t, c.o)
			if c.put != nil {
				c.put(phones[0])
			}
			withAgent(driver, agent.Auto, agentFolder(t, "10.6.6", 278))
			if c.o.InstallPrompt { // the others need all the time that a busy machine takes
				driver.agent.Patience = 2 * time.Second
			}
			installs := 0
			for round := range 2 {
				dev, err := driver.Open(t.Context(), phones[0].Serial())
				if err != nil {
					t.Fatal(err)
				}
				said := dev.(*Device).TreeReadBy()
				if c.says == "" && !strings.Contains(said, "with the agent") || c.says != "" && !strings.Contains(said, c.says) {
					t.Errorf("%q", said)
				}
				if now := phones[0].Count("cmd package"); round > 0 && now != installs {
					t.Errorf("a phone that has refused was asked again: %d and %d installations", installs, now)
				} else {
					installs = now
				}
				if err := dev.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestAgentSessionOfAnotherHost: of two hosts the later wins; the first takes its place again, and has touched once.
func TestAgentSessionOfAnotherHost(t *testing.T) {
	t.Parallel()
	d, p := openForFaults(t)
	button := waitNode(t, d, "sign_in")
	if err := agent.Send(t.Context(), d.phone.Link, agent.Request{Method: "POST", Path: "/session", Body: map[string]any{
		"capabilities": map[string]any{}}}, nil); err != nil {
		t.Fatal(err)
	}
	before := len(p.Taps())
	if err := d.Tap(t.Context(), centre(button)); err != nil || len(p.Taps()) != before+1 {
		t.Errorf("%v, %v", err, p.Taps())
	}
	if said := d.TreeReadBy(); !strings.Contains(said, "with the agent") || strings.Contains(said, "until") {
		t.Errorf("%q", said)
	}
}

// TestAgentToastOfAnotherScreen: what was shown before the last touch says nothing of what that did; the same text
// raised again does.
func TestAgentToastOfAnotherScreen(t *testing.T) {
	t.Parallel()
	for _, blind := range []bool{false, true} {
		t.Run(fmt.Sprint("blind ", blind), func(t *testing.T) {
			t.Parallel()
			o := small()
			o.NoToastWindows = blind
			d, p := openAgent(t, o)
			launch(t, d, androidsim.ListPackage+"/.ToastActivity")
			long, title := centre(waitNode(t, d, "long")), image.Pt(270, 10)
			toast := func() *screen.Node {
				for n := range agentTree(t, d).All {
					if n.Type == agent.ToastType {
						return n
					}
				}
				return nil
			}
			tap := func(at image.Point) {
				if err := d.Tap(t.Context(), at); err != nil {
					t.Fatal(err)
				}
			}
			tap(long)
			if n := toast(); n == nil || n.Earlier {
				t.Fatalf("after the touch that raised it: %v", n)
			}
			tap(title)
			if n := toast(); p.ToastStands() && (n == nil || !n.Earlier) {
				t.Errorf("after another touch: %v", n)
			}
			tap(long)
			if n := toast(); !blind && (n == nil || n.Earlier) {
				t.Errorf("raised again: %v", n)
			}
		})
	}
}

// TestAgentNotificationAtTheLastMoment: what drops down over the button between look and touch is not touched; what
// is next to it does not matter.
func TestAgentNotificationAtTheLastMoment(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]image.Rectangle{"over": image.Rect(20, 180, 500, 280),
		"beside": image.Rect(20, 400, 500, 460)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			come := false
			d, p := onScene(t, func(androidsim.Moment) androidsim.Shown {
				shown := androidsim.Shown{
					Page: []androidsim.Part{{ID: sceneApp + ":id/pay", Text: "Pay", Bounds: image.Rect(20, 200, 500, 260),
						Clickable: true}}}
				if come {
					shown.Above = []androidsim.Part{{Class: "android.widget.FrameLayout", Text: "Lunch at noon?", Bounds: place,
						Clickable: true}}
				}
				return shown
			})
			pay := waitNode(t, d, "Pay")
			p.Change(func() { come = true })
			d.Aim(pay)
			err := d.Tap(t.Context(), centre(pay))
			if taps := p.Taps(); name == "over" && (!errors.Is(err, drivers.ErrMissed) || len(taps) != 0) || name == "beside" &&
				(err != nil || len(taps) != 1 || taps[0].Label != "Pay") {
				t.Errorf("%v, %v", err, taps)
			}
		})
	}
}
