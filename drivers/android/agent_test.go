package android

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// agentFolder holds package files that the simulated phone takes for the agent's.
func agentFolder(t testing.TB, version string, code int) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range androidsim.AgentAPKs(version, code) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// withAgent makes a driver use the agent of a folder.
func withAgent(d *Driver, mode agent.Mode, dir string) *Driver {
	d.agent = agent.Options{Mode: mode, Refusals: &agent.Refusals{}, APKs: func() (string, error) { return dir, nil },
		Check: func() error { return nil }}
	return d
}

// openAgent starts one phone and opens it with the agent.
func openAgent(t *testing.T, o androidsim.Options) (*Device, *androidsim.Phone) {
	t.Helper()
	driver, phones, _ := newPhones(t, o)
	withAgent(driver, agent.Require, agentFolder(t, "10.6.6", 278))
	dev, err := driver.Open(t.Context(), phones[0].Serial())
	if err != nil {
		t.Fatal(err)
	}
	return dev.(*Device), phones[0]
}

// small is a phone that is quick to look at, with an app that shows its screens at once.
func small() androidsim.Options {
	return androidsim.Options{Width: 540, Height: 1200, Density: 210, LoginLoading: 1, LoginSpinner: 1}
}

func launch(t *testing.T, d *Device, app string) {
	t.Helper()
	if err := d.Launch(t.Context(), app, true); err != nil {
		t.Fatal(err)
	}
}

func TestAgentReadsAndTouches(t *testing.T) {
	t.Parallel()
	d, p := openAgent(t, small())
	launch(t, d, androidsim.LoginPackage)
	field := waitNode(t, d, "email")
	if field == nil || p.Count("uiautomator") != 0 {
		t.Fatalf("field %v, %d dumps", field, p.Count("uiautomator"))
	}
	if !strings.Contains(d.TreeReadBy(), "10.6.6") {
		t.Errorf("%q", d.TreeReadBy())
	}
	tapOn(t, d, "email")
	if n := p.Count("cmd input"); n != 0 {
		t.Errorf("%d touches by the program input", n)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if p.AgentListens() {
		t.Error("the agent still listens")
	}
}

// TestAgentTypesAnyScript: without an input method, after what the field holds, and not its hint.
func TestAgentTypesAnyScript(t *testing.T) {
	t.Parallel()
	d, _ := openAgent(t, small())
	launch(t, d, androidsim.LoginPackage)
	tapOn(t, d, "email")
	want := ""
	for _, piece := range []string{"Grüße ", "plain ", "שלום ", "العربية", " 👩‍👩‍👧🏽", `日本\n`, "ok"} {
		if err := d.Type(t.Context(), piece); err != nil {
			t.Fatalf("%q: %v", piece, err)
		}
		want += piece
		tree, err := d.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := tree.Focused(); got == nil || got.Text != want {
			t.Fatalf("after %q: %v instead of %q", piece, got, want)
		}
	}
}

// TestAgentPassword: dots are not put in front of what is added.
func TestAgentPassword(t *testing.T) {
	t.Parallel()
	d, _ := openAgent(t, small())
	launch(t, d, androidsim.LoginPackage)
	tapOn(t, d, "password")
	if err := d.Type(t.Context(), "pässwörd"); err != nil {
		t.Fatal(err)
	}
	if err := d.Type(t.Context(), "ü"); !errors.Is(err, drivers.ErrUnsupported) ||
		!strings.Contains(err.Error(), "password") {
		t.Errorf("%v", err)
	}
}

// TestAgentIsLeftOut: who has no agent gets the reason in one sentence.
func TestAgentIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		o    androidsim.Options
		mode agent.Mode
		hurt func(p *androidsim.Phone)
		says string
	}{
		{"old Android", androidsim.Options{API: 24}, agent.Auto, nil, "needs Android 8.0"},
		{"switched off", androidsim.Options{}, agent.Off, nil, "TAPROOT_AGENT is off"},
		{"installs are refused", androidsim.Options{RefusesInstalls: true}, agent.Auto, nil, "Install via USB"},
		{"the port is taken", androidsim.Options{}, agent.Auto, (*androidsim.Phone).TakeAgentPort, "agent"},
		{"another user of UiAutomation", androidsim.Options{}, agent.Auto, func(p *androidsim.Phone) {
			p.HoldAutomation(true)
		}, "session not created"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			driver, phones, _ := newPhones(t, c.o)
			withAgent(driver, c.mode, agentFolder(t, "10.6.6", 278))
			if c.hurt != nil {
				c.hurt(phones[0])
			}
			dev, err := driver.Open(t.Context(), phones[0].Serial())
			if err != nil {
				t.Fatal(err)
			}
			d := dev.(*Device)
			if !strings.Contains(d.TreeReadBy(), c.says) || strings.Count(d.TreeReadBy(), "\n") > 0 {
				t.Errorf("%q", d.TreeReadBy())
			}
			phones[0].HoldAutomation(false)
			if _, err := d.Tree(t.Context()); err != nil {
				t.Error(err)
			}
			if c.mode != agent.Auto {
				return
			}
			withAgent(driver, agent.Require, agentFolder(t, "10.6.6", 278))
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if c.hurt != nil {
				c.hurt(phones[0])
			}
			if _, err := driver.Open(t.Context(), phones[0].Serial()); err == nil || drivers.AppIsWrong(err) {
				t.Errorf("required: %v", err)
			}
			if phones[0].AgentListens() && !strings.Contains(c.name, "port") {
				t.Error("the agent still listens")
			}
		})
	}
}

// TestAgentOverTheNetwork: it is not started where strangers could reach it, unless that is asked for.
func TestAgentOverTheNetwork(t *testing.T) {
	t.Parallel()
	driver, phones, _ := newPhones(t, androidsim.Options{Serial: "192.168.1.7:5555"})
	withAgent(driver, agent.Auto, agentFolder(t, "10.6.6", 278))
	dev, err := driver.Open(t.Context(), phones[0].Serial())
	if err != nil {
		t.Fatal(err)
	}
	if said := dev.(*Device).TreeReadBy(); !strings.Contains(said, "over the network") || phones[0].AgentListens() {
		t.Errorf("%q", said)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	withAgent(driver, agent.Require, agentFolder(t, "10.6.6", 278))
	if _, err = driver.Open(t.Context(), phones[0].Serial()); err != nil || !phones[0].AgentListens() {
		t.Fatal(err)
	}
}

// TestAgentVersions: what is older is updated; what is newer, signed with another key or half there is removed first.
func TestAgentVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, version, certificate string
		code                       int
		half                       bool
	}{
		{"older", "9.0.0", "a40da80a", 200, false}, {"the same", "10.6.6", "a40da80a", 278, false},
		{"newer", "11.0.0", "a40da80a", 300, false},
		{"somebody else's", "10.0.0", "beef", 250, false}, {"half", "10.6.6", "a40da80a", 278, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			driver, phones, _ := newPhones(t, small())
			p := phones[0]
			p.PutAgent(c.version, c.code, c.certificate)
			if c.half {
				p.RemoveApp(androidsim.AgentTestPackage)
			}
			withAgent(driver, agent.Require, agentFolder(t, "10.6.6", 278))
			if _, err := driver.Open(t.Context(), p.Serial()); err != nil {
				t.Fatal(err)
			}
			if version, ok := p.Installed(androidsim.AgentPackage); !ok || version != "10.6.6" {
				t.Errorf("version %q", version)
			}
		})
	}
}

// TestAgentHolesInTheTree: a window that is missing because its app hangs does not prove that an element is not there.
func TestAgentHolesInTheTree(t *testing.T) {
	t.Parallel()
	d, p := openAgent(t, small())
	launch(t, d, androidsim.LoginPackage)
	waitNode(t, d, "email")
	p.HangApp(androidsim.LoginPackage, true)
	tree, err := d.Tree(t.Context())
	if !errors.Is(err, drivers.ErrNotReady) || !strings.Contains(err.Error(), "does not respond") {
		t.Fatalf("%v, %v", tree, err)
	}
	p.HangApp(androidsim.LoginPackage, false)
	waitNode(t, d, "email")
}

// TestAgentRefusedTouch: what the phone forbids is reported, and not attempted in another way.
func TestAgentRefusedTouch(t *testing.T) {
	t.Parallel()
	o := small()
	o.InputForbidden = true
	d, p := openAgent(t, o)
	if err := d.Tap(t.Context(), image.Pt(50, 50)); !errors.Is(err, drivers.ErrUnsupported) ||
		!strings.Contains(err.Error(), "Security settings") {
		t.Error(err)
	}
	if len(p.Taps()) != 0 {
		t.Errorf("%v", p.Taps())
	}
}

// TestAgentAims: what has moved or gone since it was seen is not touched.
func TestAgentAims(t *testing.T) {
	t.Parallel()
	o := small()
	o.Moving = 5 * time.Second
	d, p := openAgent(t, o)
	var moved error
	for look := 0; look < 100 && moved == nil; look++ {
		if look%20 == 0 { // on a busy machine it may be at rest before it is seen
			launch(t, d, androidsim.ListPackage+"/.MovingActivity")
		}
		tree, err := d.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for n := range tree.All {
			if n.ID != "" && n.Clickable && d.AimsExactly(n) && strings.Contains(strings.ToLower(n.ID), "mov") {
				d.Aim(n)
				if err := d.Tap(t.Context(), centre(n)); errors.Is(err, drivers.ErrMissed) {
					moved = err
				}
			}
		}
	}
	if moved == nil {
		t.Errorf("a moving element was touched: %v", p.Taps())
	}
}

// TestAgentOnAScreenThatNeverRests: its elements are read, where uiautomator refuses.
func TestAgentOnAScreenThatNeverRests(t *testing.T) {
	t.Parallel()
	d, p := openAgent(t, small())
	launch(t, d, androidsim.ListPackage+"/.AnimationActivity")
	if tree, err := d.Tree(t.Context()); err != nil || findNode(tree, "title") == nil && len(tree.Windows) == 0 ||
		p.Count("uiautomator") != 0 {
		t.Errorf("%v", err)
	}
}

// TestAgentClipboard: a text is put there; from Android 10 on only the app in the foreground may read it.
func TestAgentClipboard(t *testing.T) {
	t.Parallel()
	for _, api := range []int{28, 34} {
		o := small()
		o.API = api
		d, p := openAgent(t, o)
		if err := d.SetClipboard(t.Context(), "Größe 👍"); err != nil || p.Clipboard() != "Größe 👍" {
			t.Errorf("%d: %q, %v", api, p.Clipboard(), err)
		}
		text, err := d.Clipboard(t.Context())
		if api == 28 && (err != nil || text != "Größe 👍") || api == 34 && !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("%d: %q, %v", api, text, err)
		}
	}
}
