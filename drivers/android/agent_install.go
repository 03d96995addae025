package android

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
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// agentInstaller puts the agent onto a phone and takes it off.
type agentInstaller struct {
	phone *phone
	apps  *installer
	files agentOptions // where it would come from
}

// AgentState is what of the agent is on a phone.
type AgentState struct {
	Server    bool   // the package that listens
	Tests     bool   // the one that starts it
	Version   string // of the server
	Wanted    string // the version of the files here, "" when there are none
	Listening bool   // something responds on its port
}

var packageHead = lazyregexp.New(`(?m)^\s*Package \[([\w.]+)\] \(`)

// installed queries the package manager.
func (n *agentInstaller) installed(ctx context.Context) (AgentState, error) {
	var s AgentState
	o, err := n.phone.run(ctx, command{name: "dumpsys package", readOnly: true, line: "dumpsys package " + agentPackage +
		"; dumpsys package " + agentTests})
	if err != nil {
		return s, err
	}
	text := string(o.out)
	heads := packageHead.FindAllStringSubmatchIndex(text, -1)
	for i, at := range heads {
		section := text[at[1]:]
		if i+1 < len(heads) {
			section = text[at[1]:heads[i+1][0]]
		}
		switch text[at[2]:at[3]] {
		case agentPackage:
			s.Server = true
			if m := versionName.FindStringSubmatch(section); m != nil && s.Version == "" {
				s.Version = strings.TrimSpace(m[1])
			}
		case agentTests:
			s.Tests = true
		}
	}
	return s, nil
}

// install brings both packages onto the phone, unless they are there in the version of the files. One that is
// newer, or signed with another key, must be removed first; so must one of the two that is there alone.
func (n *agentInstaller) install(ctx context.Context, dir string) error {
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
	if err := n.files.check(); err != nil {
		return err
	}
	if have.Server != have.Tests || have.Server && newer(have.Version, version) {
		if err := n.remove(ctx); err != nil {
			return err
		}
	}
	n.phone.log.Info("installing the agent", "version", version)
	ctx, cancel := context.WithTimeoutCause(ctx, n.files.installLimit(), errUnanswered)
	defer cancel()
	both := func() error {
		for _, name := range []string{server, tests} {
			if err := n.apps.Install(ctx, filepath.Join(dir, name)); err != nil {
				return agentInstallError(ctx, n.phone.link.serial, err)
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
func (o agentOptions) installLimit() time.Duration { return cmp.Or(o.patience, 90*time.Second) }

// agentInstallError keeps a refusal from being blamed on a tested app.
func agentInstallError(ctx context.Context, serial string, err error) error {
	if errors.Is(context.Cause(ctx), errUnanswered) {
		return &installRefused{
			fmt.Sprintf("device %s: it did not install the agent in time: answer the question on its screen (some makers want "+
				"\"Install via USB\" switched on in the developer options)", serial)}
	}
	if what := err.Error(); installCode.MatchString(what) {
		return &installRefused{what}
	}
	return err
}

func fixedByRemoval(err error) bool {
	return strings.Contains(err.Error(), "UPDATE_INCOMPATIBLE") || strings.Contains(err.Error(), "VERSION_DOWNGRADE")
}

// awaitInstrumentation waits until the package manager knows what can be started.
func (n *agentInstaller) awaitInstrumentation(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, agentStartLimit, n.phone.link.tooSlow("the installation of the agent",
		agentStartLimit))
	defer cancel()
	for {
		o, err := n.phone.run(ctx, command{name: "pm list instrumentation", readOnly: true, line: "pm list instrumentation"})
		if err != nil || strings.Contains(string(o.out), agentRunner) {
			return err
		}
		if err := drivers.Pause(ctx, agentStartPoll); err != nil {
			return n.phone.link.fault(ctx, "install the agent", err)
		}
	}
}

// remove takes both packages off the phone; one that is not there is fine.
func (n *agentInstaller) remove(ctx context.Context) error {
	for _, name := range []string{agentTests, agentPackage} {
		o, err := n.phone.run(ctx, command{name: "pm uninstall", line: "pm uninstall " + name})
		if err != nil {
			return err
		}
		_ = o // its answer differs from phone to phone: what is there is asked next
	}
	have, err := n.installed(ctx)
	if err == nil && (have.Server || have.Tests) {
		err = fmt.Errorf("device %s: the agent cannot be removed", n.phone.link.serial)
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
func (n *agentInstaller) AgentState(ctx context.Context) (AgentState, error) {
	s, err := n.installed(ctx)
	if err != nil {
		return s, err
	}
	if dir, err := n.files.apks(); err == nil {
		_, _, s.Wanted, _ = agentAPKs(dir)
	}
	s.Listening = request(ctx, n.phone.link, agentRequest{method: "GET", path: "/status"}, nil) == nil
	return s, nil
}

// InstallAgent brings the agent onto the phone; there already is fine.
func (n *agentInstaller) InstallAgent(ctx context.Context) error {
	if n.phone.info.APILevel < agentAPI {
		return fmt.Errorf("device %s: %w: the agent needs Android 8.0, this is Android %s", n.phone.link.serial,
			drivers.ErrUnsupported, n.phone.info.OSVersion)
	}
	dir, err := n.files.apks()
	if err != nil {
		return err
	}
	return n.install(ctx, dir)
}

// RemoveAgent stops the agent and takes it off the phone; not there is fine.
func (n *agentInstaller) RemoveAgent(ctx context.Context) error {
	if _, err := n.phone.run(ctx, command{name: "stop the agent", line: stopAgentLine}); err != nil {
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
