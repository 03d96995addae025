package android

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// faultLimit is more than the sum of the limits of a screen read, a restart and a touch.
const faultLimit = 90 * time.Second

// TestAgentFaults: whatever goes wrong with the agent, while nothing is asked, while the tree is read, and while a
// touch is made: a screen read returns the tree all the same, by a new agent or without one; a touch happens at most
// once, and exactly once where it succeeds; nothing is left.
func TestAgentFaults(t *testing.T) {
	t.Parallel()
	kinds := map[string]androidsim.AgentFaultKind{
		"kill": androidsim.AgentKill, "wedge": androidsim.AgentWedge, "garbage": androidsim.AgentGarbage,
		"half":    androidsim.AgentHalf,
		"silence": androidsim.AgentSilent, "close": androidsim.AgentClose, "orphan": androidsim.AgentOrphan,
		"broken":      androidsim.AgentBroken,
		"stolen port": androidsim.AgentStolen, "reinstall": androidsim.AgentReinstall, "reboot": androidsim.AgentReboot,
	}
	for name, kind := range kinds {
		for _, at := range []string{"GET source", "POST list_windows", "POST element", "GET rect", "POST actions",
			"after POST actions"} {
			route, after := strings.CutPrefix(at, "after ")
			slow := kind == androidsim.AgentWedge || kind == androidsim.AgentSilent
			if testing.Short() && (slow && at != "POST actions" || kind == androidsim.AgentWedge || route != "GET source" &&
				route != "POST actions") {
				continue // each of the slow ones waits for a limit of many seconds
			}
			t.Run(name+" at "+at, func(t *testing.T) {
				t.Parallel()
				d, p := openForFaults(t)
				tree, err := d.Tree(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				button := findNode(tree, "sign_in")
				fault := androidsim.AgentFault{Route: route, Nth: 1, Kind: kind, After: after, Delay: 30 * time.Second}
				if kind == androidsim.AgentReboot {
					fault.Delay = time.Second
				}
				p.FailAgent(fault)
				checkAgentFault(t, d, p, faultAt{button: centre(button).X, gone: kind == androidsim.AgentReboot,
					tapped: func(ctx context.Context) error {
						if strings.HasPrefix(route, "GET source") || strings.HasSuffix(route, "windows") {
							if _, err := d.Tree(ctx); err != nil {
								t.Errorf("the look: %v", err)
							}
							return d.Tap(ctx, centre(button))
						}
						d.Aim(button)
						return d.Tap(ctx, centre(button))
					}})
			})
		}
	}
	for name, hurt := range map[string]func(p *androidsim.Phone){
		"killed while idle":           (*androidsim.Phone).KillAgent,
		"its shell killed while idle": (*androidsim.Phone).KillAgentShell,
		"killed and its port taken":   func(p *androidsim.Phone) { p.TakeAgentPort(); p.KillAgent() },
		"installed again":             func(p *androidsim.Phone) { p.PutAgent("10.6.7", 279, "a40da80a"); p.KillAgent() },
		"killed and the place taken":  func(p *androidsim.Phone) { p.KillAgent(); p.HoldAutomation(true) },
		"restarted with the phone":    func(p *androidsim.Phone) { p.Reboot(time.Second) },
		"its packages removed": func(p *androidsim.Phone) {
			p.RemoveApp(androidsim.AgentTestPackage)
			p.RemoveApp(androidsim.AgentPackage)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, p := openForFaults(t)
			tree, err := d.Tree(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			button := findNode(tree, "sign_in")
			hurt(p)
			if strings.Contains(name, "place") { // the other one leaves in time
				time.AfterFunc(2*time.Second, func() { p.HoldAutomation(false) })
			}
			checkAgentFault(t, d, p, faultAt{tapped: func(ctx context.Context) error {
				if strings.HasPrefix(name, "restarted") { // the button is not there any more, and is not touched blindly
					_, err := d.Tree(ctx)
					return errors.Join(err, d.Tap(ctx, centre(button)))
				}
				d.Aim(button)
				return d.Tap(ctx, centre(button))
			}})
		})
	}
}

// TestPhoneOfAnAgentIsUnplugged: what became of the phone is why the agent is gone, and nothing else is reported.
func TestPhoneOfAnAgentIsUnplugged(t *testing.T) {
	t.Parallel()
	d, p := openForFaults(t)
	p.Disconnect()
	_, err := d.Tree(t.Context())
	if !errors.Is(err, drivers.ErrDeviceLost) || strings.Contains(err.Error(), "agent") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

type faultAt struct {
	button int
	gone   bool // the button goes away, which is reported when the phone is back soon enough
	tapped func(ctx context.Context) error
}

func openForFaults(t *testing.T) (*Device, *androidsim.Phone) {
	t.Helper()
	driver, phones, _ := newPhones(t, small())
	withAgent(driver, agent.Auto, agentFolder(t, "10.6.6", 278))
	dev, err := driver.Open(t.Context(), phones[0].Serial())
	if err != nil {
		t.Fatal(err)
	}
	d := dev.(*Device)
	launch(t, d, androidsim.LoginPackage)
	waitNode(t, d, "sign_in")
	return d, phones[0]
}

// checkAgentFault touches, looks again, and closes.
func checkAgentFault(t *testing.T, d *Device, p *androidsim.Phone, at faultAt) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), faultLimit)
	defer cancel()
	before := len(p.Taps())
	err := at.tapped(ctx)
	taps := len(p.Taps()) - before
	switch {
	case ctx.Err() != nil:
		t.Errorf("not in time: %v", err)
	case err == nil && taps != 1:
		t.Errorf("no error, and %d taps", taps)
	case taps > 1:
		t.Errorf("%d taps: %v", taps, err)
	case err != nil && (drivers.AppIsWrong(err) && !(at.gone && errors.Is(err, drivers.ErrMissed)) ||
		!strings.Contains(err.Error(), p.Serial())):
		t.Errorf("the error %v", err)
	}
	if _, err := d.Tree(ctx); err != nil {
		t.Errorf("the look afterwards: %v", err)
	}
	if said := d.TreeReadBy(); strings.Contains(said, "\n") || !strings.Contains(said, "agent") {
		t.Errorf("the report says %q", said)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	p.HealAgent() // its port, too
	if p.AgentListens() {
		t.Error("the agent still listens")
	}
}

// TestAgentGivesUpOnce: one that dies again and again is started once more, then the phone's own tools continue, and
// the report says so.
func TestAgentGivesUpOnce(t *testing.T) {
	t.Parallel()
	d, p := openForFaults(t)
	p.FailAgent(androidsim.AgentFault{Route: "GET source", Kind: androidsim.AgentKill})
	if _, err := d.Tree(t.Context()); err != nil {
		t.Fatal(err)
	}
	if said := d.TreeReadBy(); !strings.Contains(said, "until it stopped working") || p.Count("uiautomator") == 0 {
		t.Errorf("%q, %d dumps", said, p.Count("uiautomator"))
	}
	tapOn(t, d, "sign_in")

	driver, phones, _ := newPhones(t, small())
	withAgent(driver, agent.Require, agentFolder(t, "10.6.6", 278))
	dev, err := driver.Open(t.Context(), phones[0].Serial())
	if err != nil {
		t.Fatal(err)
	}
	phones[0].FailAgent(androidsim.AgentFault{Route: "GET source", Kind: androidsim.AgentKill})
	if _, err := dev.Tree(t.Context()); err == nil || drivers.AppIsWrong(err) || phones[0].Count("uiautomator") != 0 {
		t.Errorf("required: %v", err)
	}
}

// TestAgentGivenUpWithinAText: ADBKeyboard types all lines that are left, not only the one that the agent did not take.
func TestAgentGivenUpWithinAText(t *testing.T) {
	t.Parallel()
	o := small()
	o.ADBKeyboard = true
	driver, phones, _ := newPhones(t, o)
	withAgent(driver, agent.Auto, agentFolder(t, "10.6.6", 278))
	dev, err := driver.Open(t.Context(), phones[0].Serial())
	if err != nil {
		t.Fatal(err)
	}
	d := dev.(*Device)
	loginForm(t, d)
	phones[0].FailAgent(androidsim.AgentFault{Route: "GET source", Kind: androidsim.AgentKill})
	if err := d.Type(t.Context(), "Grüße\nmore"); err != nil {
		t.Fatal(err)
	}
	if got := fieldText(t, d); got != "Grüßemore" { // the field has one line
		t.Errorf("typed %q", got)
	}
}

// TestAgentIsStoppedAfterAKilledProcess: what a process that was killed has left on the phone is stopped by the next.
func TestAgentIsStoppedAfterAKilledProcess(t *testing.T) {
	t.Parallel()
	driver, phones, server := newPhones(t, small())
	withAgent(driver, agent.Require, agentFolder(t, "10.6.6", 278))
	if _, err := driver.Open(t.Context(), phones[0].Serial()); err != nil {
		t.Fatal(err)
	}
	phones[0].KillAgentShell()
	if !phones[0].AgentListens() {
		t.Fatal("the agent ended with its shell")
	}
	opts := serverAt(server.Addr())
	opts.NotesDir, opts.Agent = driver.notes, string(agent.Off)
	next := New(opts)
	defer next.Close()
	if _, err := next.Open(t.Context(), phones[0].Serial()); err != nil {
		t.Fatal(err)
	}
	if phones[0].AgentListens() {
		t.Error("the agent still listens")
	}
}

// TestAgentAndToasts: a toast of two seconds is seen each time, and never one that has gone although the agent still
// reports it.
func TestAgentAndToasts(t *testing.T) {
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 2
	}
	d, p := openAgent(t, small())
	launch(t, d, androidsim.ListPackage+"/.ToastActivity")
	short := centre(waitNode(t, d, "short"))
	for round := range rounds {
		if n := toastIn(t, d); n != "" {
			t.Fatalf("round %d: %q before it was raised", round, n)
		}
		for told := ""; told == ""; { // one that went while it was looked for, on a busy machine, is raised once more
			if err := d.Tap(t.Context(), short); err != nil {
				t.Fatal(err)
			}
			if told = toastIn(t, d); told == "" && p.ToastStands() {
				t.Fatalf("round %d: not seen", round)
			}
		}
		gone := false
		for !gone {
			stood := p.ToastStands()
			told := toastIn(t, d)
			gone = !stood && !p.ToastStands()
			for n := 0; n < 10 && p.ToastStands(); n++ { // the looks that count are those right after it went
				_ = drivers.Pause(t.Context(), 2*time.Millisecond)
			}
			if gone && told != "" {
				t.Errorf("round %d: %q is told and does not stand", round, told)
			}
		}
	}
}

func toastIn(t *testing.T, d *Device) string {
	t.Helper()
	tree, err := d.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := range tree.All {
		if n.Type == agent.ToastType {
			return n.Text
		}
	}
	return ""
}
