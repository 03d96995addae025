package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// CanStart says why no WebDriverAgent can be started on a device, "" when one can.
func (s *Agents) CanStart(ctx context.Context, f host.Found) string {
	if f.Kind == host.Mux {
		return "" // whether it is installed there is seen when it is started
	}
	if _, err := s.testRun(f.Kind); err != nil && !s.runnerInstalled(ctx, f) {
		return err.Error()
	}
	return ""
}

// runnerInstalled reports whether a simulator has a WebDriverAgent that can be launched as an app.
func (s *Agents) runnerInstalled(ctx context.Context, f host.Found) bool {
	if f.Kind != host.Simulator {
		return false
	}
	return s.tools.HasApp(ctx, f.Info.ID, s.bundle())
}

func (s *Agents) startAgent(ctx context.Context, f host.Found, a *Agent) error {
	if f.Kind == host.Mux {
		if err := s.MountImage(ctx, f.Info.ID); err != nil && ctx.Err() == nil {
			s.log.Warn("the developer image could not be mounted", "device", f.Info.ID, "error", err) // it may be from before
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, agentLimit, fmt.Errorf("it did not answer within %v", agentLimit))
	defer cancel()
	switch f.Kind {
	case host.Simulator:
		err := s.startOnSimulator(ctx, f, a)
		if err != nil && ctx.Err() == nil { // test runners of simulators fail now and then
			s.log.Warn("WebDriverAgent did not start, and is started once more", "device", f.Info.ID, "error", err)
			a.stop()
			err = s.startOnSimulator(ctx, f, a)
		}
		return err
	case host.Phone:
		return s.startWithXcode(ctx, f, a)
	case host.Mux:
		return s.startWithMux(ctx, f, a)
	}
	return errors.New("nothing on this machine can start one there")
}

// startOnSimulator assigns ports to it of this machine, of which simulators are a part.
func (s *Agents) startOnSimulator(ctx context.Context, f host.Found, a *Agent) error {
	// One that outlived its Taproot would keep simulator and test runner busy.
	_, _ = s.tools.Run(ctx, s.tools.Simctl("terminate", f.Info.ID, s.bundle()))
	ports, err := drivers.FreePorts(2)
	if err != nil {
		return err
	}
	port, film := ports[0], ports[1]
	var b *host.Process
	if _, built := s.testRun(host.Simulator); built != nil && s.runnerInstalled(ctx, f) {
		c := s.tools.Simctl("launch", "--console", "--terminate-running-process", f.Info.ID, s.bundle())
		c.Env = []string{"SIMCTL_CHILD_USE_PORT=" + port, "SIMCTL_CHILD_MJPEG_SERVER_PORT=" + film}
		b, err = s.tools.Start(c, nil)
	} else { // the first form is for test runs without a scheme, the second for those with one
		b, err = s.xcodebuild(f, "TEST_RUNNER_USE_PORT="+port, "TEST_RUNNER_MJPEG_SERVER_PORT="+film, "USE_PORT="+port,
			"MJPEG_SERVER_PORT="+film)
	}
	if err != nil {
		return err
	}
	a.keep(b)
	a.Film = "http://127.0.0.1:" + film
	asked := "http://127.0.0.1:" + port
	return s.await(ctx, f.Info.ID, a, b, func() []string { return []string{asked, reportedPort(b, asked)} })
}

// reportedPort is where a WebDriverAgent says that it listens, should it not have taken the port that it was given; ""
// when it says nothing.
func reportedPort(b *host.Process, asked string) string {
	text, _ := b.Text()
	m := serverLine.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	u, err := url.Parse(m[1])
	if err != nil {
		return ""
	}
	return onPort(asked, u.Port())
}

// only is an address that is known.
func only(url string) func() []string { return func() []string { return []string{url} } }

// xcodebuild runs the test that WebDriverAgent is.
func (s *Agents) xcodebuild(f host.Found, env ...string) (*host.Process, error) {
	file, err := s.testRun(f.Kind)
	if err != nil {
		return nil, err
	}
	return s.tools.Start(host.Command{Name: "xcodebuild", Path: s.tools.Xcrun, Env: env,
		Args: []string{"xcodebuild", "test-without-building",
			"-xctestrun", file, "-destination", "id=" + f.Info.ID}}, nil)
}

// tunnelAsk is how often Xcode is queried for the address of a phone until WebDriverAgent responds there.
const tunnelAsk = 2 * time.Second

// startWithXcode starts it on an iPhone, which is then reached through usbmuxd where go-ios is at hand, else through
// CoreDevice's tunnel, which Xcode raises for the test, else by the address that it reports. With the port named, one
// that is taken ends the test at once; without it WebDriverAgent would go to another one in silence.
func (s *Agents) startWithXcode(ctx context.Context, f host.Found, a *Agent) error {
	b, err := s.xcodebuild(f, "TEST_RUNNER_USE_PORT="+agentPort, "TEST_RUNNER_MJPEG_SERVER_PORT="+streamPort, "USE_PORT="+
		agentPort, "MJPEG_SERVER_PORT="+streamPort)
	if err != nil {
		return err
	}
	a.keep(b)
	if s.tools.GoIOS != "" {
		return s.forward(ctx, f.Info.ID, a, b)
	}
	if err := s.await(ctx, f.Info.ID, a, b, s.phoneAddresses(ctx, f, b)); err != nil {
		return err
	}
	a.Film = onPort(a.URL, streamPort)
	return nil
}

var serverLine = lazyregexp.New(`ServerURLHere->(http://[^\s<]+)<-ServerURLHere`)

// phoneAddresses are where WebDriverAgent may answer: at the end of the tunnel, and at the phone's address in the
// network. A loopback address that the phone reports is its own.
func (s *Agents) phoneAddresses(ctx context.Context, f host.Found, b *host.Process) func() []string {
	var asked time.Time
	tunnel := ""
	return func() []string {
		if time.Since(asked) >= tunnelAsk {
			asked = time.Now()
			if phones, err := s.tools.Phones(ctx); err == nil {
				if i := slices.IndexFunc(phones, func(p host.Found) bool { return p.Info.ID == f.Info.ID }); i >= 0 {
					tunnel = phones[i].Tunnel
				}
			}
		}
		var all []string
		if tunnel != "" {
			all = append(all, "http://"+net.JoinHostPort(tunnel, agentPort))
		}
		text, _ := b.Text()
		if m := serverLine.FindStringSubmatch(text); m != nil {
			if u, err := url.Parse(m[1]); err == nil && !net.ParseIP(u.Hostname()).IsLoopback() {
				all = append(all, m[1])
			}
		}
		return all
	}
}

// MountImage brings onto a phone what tests are run with there, and which a phone loses when it restarts. Xcode does so
// by itself; go-ios downloads it where it has to.
func (s *Agents) MountImage(ctx context.Context, udid string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	c := s.tools.GoIOSCommand("image", "auto", "--basedir="+filepath.Join(cache, "taproot", "devimages"), "--udid="+udid)
	c.Limit, c.Logged = imageLimit, true
	_, err = s.tools.Run(ctx, c)
	return err
}

func (s *Agents) startWithMux(ctx context.Context, f host.Found, a *Agent) error {
	args := []string{"runwda", "--udid=" + f.Info.ID, "--log-output=-"} // without it, what WebDriverAgent says is dropped
	if bundle := s.getenv("TAPROOT_WDA_BUNDLE"); bundle != "" {
		args = append(args, "--bundleid="+bundle, "--testrunnerbundleid="+bundle,
			"--xctestconfig=WebDriverAgentRunner.xctest")
	}
	b, err := s.tools.Start(s.tools.GoIOSCommand(args...), nil)
	if err != nil {
		return err
	}
	a.keep(b)
	return s.forward(ctx, f.Info.ID, a, b)
}

// forward makes the phone's ports ports of this machine.
func (s *Agents) forward(ctx context.Context, udid string, a *Agent, b *host.Process) error {
	ports, err := drivers.FreePorts(2)
	if err != nil {
		return err
	}
	port, film := ports[0], ports[1]
	for local, remote := range map[string]string{port: agentPort, film: streamPort} {
		f, err := s.tools.Start(s.tools.GoIOSCommand("forward", "--udid="+udid, local, remote), nil)
		if err != nil {
			return err
		}
		a.keep(f)
		if err := host.AwaitPort(ctx, f, local); err != nil {
			return err
		}
	}
	a.Film = "http://127.0.0.1:" + film
	return s.await(ctx, udid, a, b, only("http://127.0.0.1:"+port))
}

// await waits until WebDriverAgent responds at one of the addresses. When the program that runs it ends, that is the
// answer.
func (s *Agents) await(ctx context.Context, udid string, a *Agent, b *host.Process, addresses func() []string) error {
	for {
		err := s.answering(ctx, udid, a, addresses())
		if err == nil {
			return nil
		}
		select {
		case <-b.Done:
			return b.Ended()
		default:
		}
		if paused := drivers.Pause(ctx, agentPoll); paused != nil {
			return fmt.Errorf("%w (%w); %s says: %s", paused, err, b.Name, cmp.Or(b.Last(), "nothing"))
		}
	}
}

// answering looks for the address at which WebDriverAgent is ready.
func (s *Agents) answering(ctx context.Context, udid string, a *Agent, addresses []string) error {
	err := errors.New("its address is not known")
	for _, at := range addresses {
		if at == "" {
			continue
		}
		var silent error
		if _, silent = (&wda.Client{ID: udid, Base: at, HTTP: s.http}).Status(ctx); silent == nil {
			a.URL = at
			return nil
		}
		err = silent
	}
	return err
}

// bundle is the id of the app that WebDriverAgent is.
func (s *Agents) bundle() string {
	if bundle := s.getenv("TAPROOT_WDA_BUNDLE"); bundle != "" {
		return bundle
	}
	return "com.facebook.WebDriverAgentRunner.xctrunner"
}

// testRun finds what Xcode needs to run WebDriverAgent: the file that TAPROOT_WDA_XCTESTRUN names, else the newest that
// Xcode built.
func (s *Agents) testRun(k host.Kind) (string, error) {
	if file := s.getenv("TAPROOT_WDA_XCTESTRUN"); file != "" {
		if _, err := os.Stat(file); err != nil {
			return "", fmt.Errorf("TAPROOT_WDA_XCTESTRUN: %w", err)
		}
		return file, nil
	}
	platform, signing := "iphonesimulator", ""
	if k == host.Phone { // which starts what a team has signed for it
		platform, signing = "iphoneos", " --team YOUR_TEAM_ID"
	}
	files, _ := filepath.Glob(filepath.Join(host.EscapeGlob(s.home),
		"Library/Developer/Xcode/DerivedData/WebDriverAgent-*/Build/Products", "*"+platform+"*.xctestrun"))
	if s.home == "" || len(files) == 0 {
		return "", fmt.Errorf(
			"WebDriverAgent is not built: run `taproot ios build-agent%s`, or let TAPROOT_WDA_URL name one that runs", signing)
	}
	sort.Slice(files, func(i, j int) bool { return host.Modified(files[i]).After(host.Modified(files[j])) })
	return files[0], nil
}
