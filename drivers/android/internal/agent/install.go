package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/apps"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Setup puts the agent onto a phone and takes it off.
type Setup struct {
	Phone *phone.Phone
	Apps  *apps.Installer
	Files Options // where it would come from
}

// State is what of the agent is on a phone.
type State struct {
	Server    bool   // the package that listens
	Tests     bool   // the one that starts it
	Version   string // of the server
	Wanted    string // the version of the files here, "" when there are none
	Listening bool   // something responds on its port
}

var packageHead = lazyregexp.New(`(?m)^\s*Package \[([\w.]+)\] \(`)

// installed queries the package manager.
func (n *Setup) installed(ctx context.Context) (State, error) {
	var s State
	o, err := n.Phone.Run(ctx, adb.Command{Name: "dumpsys package", ReadOnly: true, Line: "dumpsys package " +
		restore.AgentPackage +
		"; dumpsys package " + restore.AgentTests})
	if err != nil {
		return s, err
	}
	text := string(o.Out)
	heads := packageHead.FindAllStringSubmatchIndex(text, -1)
	for i, at := range heads {
		section := text[at[1]:]
		if i+1 < len(heads) {
			section = text[at[1]:heads[i+1][0]]
		}
		switch text[at[2]:at[3]] {
		case restore.AgentPackage:
			s.Server = true
			if m := phone.VersionName.FindStringSubmatch(section); m != nil && s.Version == "" {
				s.Version = strings.TrimSpace(m[1])
			}
		case restore.AgentTests:
			s.Tests = true
		}
	}
	return s, nil
}

// install brings both packages onto the phone, unless they are there in the version of the files. One that is
// newer, or signed with another key, must be removed first; so must one of the two that is there alone.
func (n *Setup) install(ctx context.Context, dir string) error {
	server, tests, version, err := agentAPKs(dir)
	if err != nil {
		return err
	}
	have, err := n.installed(ctx)
	if err != nil {
		return err
	}
	if have.Server && have.Tests && have.Version == version {
		return nil
	}
	if err := n.Files.Check(); err != nil {
		return err
	}
	if have.Server != have.Tests || have.Server && newer(have.Version, version) {
		if err := n.remove(ctx); err != nil {
			return err
		}
	}
	n.Phone.Log.Info("installing the agent", "version", version)
	ctx, cancel := context.WithTimeoutCause(ctx, n.Files.installLimit(), errUnanswered)
	defer cancel()
	both := func() error {
		for _, name := range []string{server, tests} {
			if err := n.Apps.Install(ctx, filepath.Join(dir, name)); err != nil {
				return agentInstallError(ctx, n.Phone.Link.Serial, err)
			}
		}
		return nil
	}
	if err = both(); err != nil && fixedByRemoval(err) {
		if err = n.remove(ctx); err == nil {
			err = both()
		}
	}
	if err != nil {
		return err
	}
	return n.awaitInstrumentation(ctx)
}

// installRefused is a phone's no.
type installRefused struct{ what string }

func (e *installRefused) Error() string { return e.what }

var errUnanswered = errors.New("the agent is not installed in time")

// installLimit is how long both packages may take: 18 MB over Wi-Fi, and a question of the phone.
func (o Options) installLimit() time.Duration { return cmp.Or(o.Patience, 90*time.Second) }

// agentInstallError keeps a refusal from being blamed on a tested app.
func agentInstallError(ctx context.Context, serial string, err error) error {
	if errors.Is(context.Cause(ctx), errUnanswered) {
		return &installRefused{
			fmt.Sprintf("device %s: it did not install the agent in time: answer the question on its screen (some makers want "+
				"\"Install via USB\" switched on in the developer options)", serial)}
	}
	if what := err.Error(); apps.ResultCode.MatchString(what) {
		return &installRefused{what}
	}
	return err
}

func fixedByRemoval(err error) bool {
	return strings.Contains(err.Error(), "UPDATE_INCOMPATIBLE") || strings.Contains(err.Error(), "VERSION_DOWNGRADE")
}

// awaitInstrumentation waits until the package manager knows what can be started.
func (n *Setup) awaitInstrumentation(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, agentStartLimit, n.Phone.Link.TooSlow("the installation of the agent",
		agentStartLimit))
	defer cancel()
	for {
		o, err := n.Phone.Run(ctx, adb.Command{Name: "pm list instrumentation", ReadOnly: true,
			Line: "pm list instrumentation"})
		if err != nil || strings.Contains(string(o.Out), agentRunner) {
			return err
		}
		if err := drivers.Pause(ctx, agentStartPoll); err != nil {
			return n.Phone.Link.Fault(ctx, "install the agent", err)
		}
	}
}

// remove takes both packages off the phone; one that is not there is fine.
func (n *Setup) remove(ctx context.Context) error {
	for _, name := range []string{restore.AgentTests, restore.AgentPackage} {
		o, err := n.Phone.Run(ctx, adb.Command{Name: "pm uninstall", Line: "pm uninstall " + name})
		if err != nil {
			return err
		}
		_ = o // its answer differs from phone to phone: what is there is asked next
	}
	have, err := n.installed(ctx)
	if err == nil && (have.Server || have.Tests) {
		err = fmt.Errorf("device %s: the agent cannot be removed", n.Phone.Link.Serial)
	}
	return err
}

// newer compares versions number by number.
func newer(a, b string) bool {
	one, two := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(one), len(two)) {
		var x, y int
		if i < len(one) {
			x, _ = strconv.Atoi(one[i])
		}
		if i < len(two) {
			y, _ = strconv.Atoi(two[i])
		}
		if x != y {
			return x > y
		}
	}
	return false
}

// AgentState reports which parts of the agent are on the phone.
func (n *Setup) AgentState(ctx context.Context) (State, error) {
	s, err := n.installed(ctx)
	if err != nil {
		return s, err
	}
	if dir, err := n.Files.APKs(); err == nil {
		_, _, s.Wanted, _ = agentAPKs(dir)
	}
	s.Listening = Send(ctx, n.Phone.Link, Request{Method: "GET", Path: "/status"}, nil) == nil
	return s, nil
}

// InstallAgent brings the agent onto the phone; there already is fine.
func (n *Setup) InstallAgent(ctx context.Context) error {
	if n.Phone.Info.APILevel < MinAPI {
		return fmt.Errorf("device %s: %w: the agent needs Android 8.0, this is Android %s", n.Phone.Link.Serial,
			drivers.ErrUnsupported, n.Phone.Info.OSVersion)
	}
	dir, err := n.Files.APKs()
	if err != nil {
		return err
	}
	return n.install(ctx, dir)
}

// RemoveAgent stops the agent and takes it off the phone; not there is fine.
func (n *Setup) RemoveAgent(ctx context.Context) error {
	if _, err := n.Phone.Run(ctx, adb.Command{Name: "stop the agent", Line: restore.StopAgent}); err != nil {
		return err
	}
	return n.remove(ctx)
}

// agentAPKs finds the agent's two packages in a folder.
func agentAPKs(dir string) (server, tests, version string, err error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return "", "", "", err
	}
	for _, f := range list {
		name := f.Name()
		if v, ok := strings.CutPrefix(name, "appium-uiautomator2-server-v"); ok && strings.HasSuffix(v, ".apk") {
			server, version = name, strings.TrimSuffix(v, ".apk")
		}
		if strings.HasPrefix(name, "appium-uiautomator2-server") && strings.HasSuffix(name, "androidTest.apk") {
			tests = name
		}
	}
	if server == "" || tests == "" {
		return "", "", "",
			fmt.Errorf("%s does not hold appium-uiautomator2-server-v….apk and "+
				"appium-uiautomator2-server-debug-androidTest.apk", dir)
	}
	return server, tests, version, nil
}
