package ios

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
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	agentLimit = 3 * time.Minute // for WebDriverAgent to start: the first time, Xcode installs it
	imageLimit = 5 * time.Minute // for a developer image to be downloaded
	agentPoll  = 300 * time.Millisecond
	listenPoll = 20 * time.Millisecond
	agentGrace = 10 * time.Second // for what was started to end
	agentPort  = "8100"           // on a phone
	streamPort = "9100"
)

// agent is the WebDriverAgent of one device.
type agent struct {
	url, film string
	starting  sync.Mutex

	mu   sync.Mutex
	runs []*background // what we started for it
}

// agent returns a WebDriverAgent that responds: the one that the environment names, the one that was started before, or
// a new one.
func (d *Driver) agent(ctx context.Context, f found) (*agent, error) {
	if f.url != "" {
		return &agent{url: f.url, film: onPort(f.url, streamPort)}, nil
	}
	d.mu.Lock()
	a := d.agents[f.info.ID]
	if a == nil {
		a = &agent{}
		d.agents[f.info.ID] = a
	}
	d.mu.Unlock()
	a.starting.Lock()
	defer a.starting.Unlock()
	if a.url != "" {
		if _, err := (&wda{id: f.info.ID, base: a.url, http: d.http}).status(ctx); err == nil {
			return a, nil
		}
		d.log.Warn("WebDriverAgent died and is started again", "device", f.info.ID)
		a.stop()
	}
	err := d.startAgent(ctx, f, a)
	if err == nil && d.isClosed() { // Close may have come before there was something to end
		err = drivers.ErrClosed
	}
	if err != nil {
		a.stop()
		return nil, fmt.Errorf("%w: device %s: WebDriverAgent could not be started: %w", drivers.ErrDeviceLost,
			f.info.ID, err)
	}
	return a, nil
}

// stop ends what was started.
func (a *agent) stop() {
	a.mu.Lock()
	runs := a.runs
	a.runs, a.url = nil, ""
	a.mu.Unlock()
	var ending sync.WaitGroup
	for _, b := range runs {
		ending.Go(func() { b.stop(agentGrace) })
	}
	ending.Wait()
}

// ended reports whether a program that we started for it runs no more.
func (a *agent) ended() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.runs {
		select {
		case <-b.done:
			return true
		default:
		}
	}
	return len(a.runs) == 0
}

func (a *agent) keep(b *background) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs = append(a.runs, b)
}

// canStart says why no WebDriverAgent can be started on a device, "" when one can.
func (d *Driver) canStart(ctx context.Context, f found) string {
	if f.kind == mux {
		return "" // whether it is installed there is seen when it is started
	}
	if _, err := d.testRun(f.kind); err != nil && !d.runnerInstalled(ctx, f) {
		return err.Error()
	}
	return ""
}

// runnerInstalled reports whether a simulator has a WebDriverAgent that can be launched as an app.
func (d *Driver) runnerInstalled(ctx context.Context, f found) bool {
	if f.kind != simulator {
		return false
	}
	_, err := simHost{d.tools, f.info.ID}.container(ctx, d.bundle(), "app")
	return err == nil
}

func (d *Driver) startAgent(ctx context.Context, f found, a *agent) error {
	if f.kind == mux {
		if err := d.mountImage(ctx, f.info.ID); err != nil && ctx.Err() == nil {
			d.log.Warn("the developer image could not be mounted", "device", f.info.ID, "error", err) // it may be from before
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, agentLimit, fmt.Errorf("it did not answer within %v", agentLimit))
	defer cancel()
	switch f.kind {
	case simulator:
		err := d.startOnSimulator(ctx, f, a)
		if err != nil && ctx.Err() == nil { // test runners of simulators fail now and then
			d.log.Warn("WebDriverAgent did not start, and is started once more", "device", f.info.ID, "error", err)
			a.stop()
			err = d.startOnSimulator(ctx, f, a)
		}
		return err
	case phone:
		return d.startWithXcode(ctx, f, a)
	case mux:
		return d.startWithMux(ctx, f, a)
	}
	return errors.New("nothing on this machine can start one there")
}

// startOnSimulator assigns ports to it of this machine, of which simulators are a part.
func (d *Driver) startOnSimulator(ctx context.Context, f found, a *agent) error {
	// One that outlived its Taproot would keep simulator and test runner busy.
	_, _ = d.tools.run(ctx, d.tools.simctl("terminate", f.info.ID, d.bundle()))
	ports, err := drivers.FreePorts(2)
	if err != nil {
		return err
	}
	port, film := ports[0], ports[1]
	var b *background
	if _, built := d.testRun(simulator); built != nil && d.runnerInstalled(ctx, f) {
		c := d.tools.simctl("launch", "--console", "--terminate-running-process", f.info.ID, d.bundle())
		c.env = []string{"SIMCTL_CHILD_USE_PORT=" + port, "SIMCTL_CHILD_MJPEG_SERVER_PORT=" + film}
		b, err = d.tools.start(c, nil)
	} else { // the first form is for test runs without a scheme, the second for those with one
		b, err = d.xcodebuild(f, "TEST_RUNNER_USE_PORT="+port, "TEST_RUNNER_MJPEG_SERVER_PORT="+film, "USE_PORT="+port,
			"MJPEG_SERVER_PORT="+film)
	}
	if err != nil {
		return err
	}
	a.keep(b)
	a.film = "http://127.0.0.1:" + film
	asked := "http://127.0.0.1:" + port
	return d.await(ctx, f.info.ID, a, b, func() []string { return []string{asked, reportedPort(b, asked)} })
}

// reportedPort is where a WebDriverAgent says that it listens, should it not have taken the port that it was given; ""
// when it says nothing.
func reportedPort(b *background, asked string) string {
	text, _ := b.text()
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
func (d *Driver) xcodebuild(f found, env ...string) (*background, error) {
	file, err := d.testRun(f.kind)
	if err != nil {
		return nil, err
	}
	return d.tools.start(command{name: "xcodebuild", path: d.tools.xcrun, env: env,
		args: []string{"xcodebuild", "test-without-building",
			"-xctestrun", file, "-destination", "id=" + f.info.ID}}, nil)
}

// tunnelAsk is how often Xcode is queried for the address of a phone until WebDriverAgent responds there.
const tunnelAsk = 2 * time.Second

// startWithXcode starts it on an iPhone, which is then reached through usbmuxd where go-ios is at hand, else through
// CoreDevice's tunnel, which Xcode raises for the test, else by the address that it reports. With the port named, one
// that is taken ends the test at once; without it WebDriverAgent would go to another one in silence.
func (d *Driver) startWithXcode(ctx context.Context, f found, a *agent) error {
	b, err := d.xcodebuild(f, "TEST_RUNNER_USE_PORT="+agentPort, "TEST_RUNNER_MJPEG_SERVER_PORT="+streamPort, "USE_PORT="+
		agentPort, "MJPEG_SERVER_PORT="+streamPort)
	if err != nil {
		return err
	}
	a.keep(b)
	if d.tools.goios != "" {
		return d.forward(ctx, f.info.ID, a, b)
	}
	if err := d.await(ctx, f.info.ID, a, b, d.phoneAddresses(ctx, f, b)); err != nil {
		return err
	}
	a.film = onPort(a.url, streamPort)
	return nil
}

var serverLine = lazyregexp.New(`ServerURLHere->(http://[^\s<]+)<-ServerURLHere`)

// phoneAddresses are where WebDriverAgent may answer: at the end of the tunnel, and at the phone's address in the
// network. A loopback address that the phone reports is its own.
func (d *Driver) phoneAddresses(ctx context.Context, f found, b *background) func() []string {
	var asked time.Time
	tunnel := ""
	return func() []string {
		if time.Since(asked) >= tunnelAsk {
			asked = time.Now()
			if phones, err := d.tools.phones(ctx); err == nil {
				if i := slices.IndexFunc(phones, func(p found) bool { return p.info.ID == f.info.ID }); i >= 0 {
					tunnel = phones[i].tunnel
				}
			}
		}
		var all []string
		if tunnel != "" {
			all = append(all, "http://"+net.JoinHostPort(tunnel, agentPort))
		}
		text, _ := b.text()
		if m := serverLine.FindStringSubmatch(text); m != nil {
			if u, err := url.Parse(m[1]); err == nil && !net.ParseIP(u.Hostname()).IsLoopback() {
				all = append(all, m[1])
			}
		}
		return all
	}
}

// mountImage brings onto a phone what tests are run with there, and which a phone loses when it restarts. Xcode does so
// by itself; go-ios downloads it where it has to.
func (d *Driver) mountImage(ctx context.Context, udid string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	c := d.tools.ios("image", "auto", "--basedir="+filepath.Join(cache, "taproot", "devimages"), "--udid="+udid)
	c.limit, c.logged = imageLimit, true
	_, err = d.tools.run(ctx, c)
	return err
}

func (d *Driver) startWithMux(ctx context.Context, f found, a *agent) error {
	args := []string{"runwda", "--udid=" + f.info.ID, "--log-output=-"} // without it, what WebDriverAgent says is dropped
	if bundle := d.getenv("TAPROOT_WDA_BUNDLE"); bundle != "" {
		args = append(args, "--bundleid="+bundle, "--testrunnerbundleid="+bundle,
			"--xctestconfig=WebDriverAgentRunner.xctest")
	}
	b, err := d.tools.start(d.tools.ios(args...), nil)
	if err != nil {
		return err
	}
	a.keep(b)
	return d.forward(ctx, f.info.ID, a, b)
}

// forward makes the phone's ports ports of this machine.
func (d *Driver) forward(ctx context.Context, udid string, a *agent, b *background) error {
	ports, err := drivers.FreePorts(2)
	if err != nil {
		return err
	}
	port, film := ports[0], ports[1]
	for local, remote := range map[string]string{port: agentPort, film: streamPort} {
		f, err := d.tools.start(d.tools.ios("forward", "--udid="+udid, local, remote), nil)
		if err != nil {
			return err
		}
		a.keep(f)
		if err := listens(ctx, f, local); err != nil {
			return err
		}
	}
	a.film = "http://127.0.0.1:" + film
	return d.await(ctx, udid, a, b, only("http://127.0.0.1:"+port))
}

// listens waits until a program has opened a port of this machine: a recording that is requested before is refused.
func listens(ctx context.Context, b *background, port string) error {
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			return conn.Close()
		}
		select {
		case <-b.done:
			return b.ended()
		default:
		}
		if paused := drivers.Pause(ctx, listenPoll); paused != nil {
			return fmt.Errorf("%w; %s does not listen on port %s: %w", paused, b.name, port, err)
		}
	}
}

// await waits until WebDriverAgent responds at one of the addresses. When the program that runs it ends, that is the
// answer.
func (d *Driver) await(ctx context.Context, udid string, a *agent, b *background, addresses func() []string) error {
	for {
		err := d.answering(ctx, udid, a, addresses())
		if err == nil {
			return nil
		}
		select {
		case <-b.done:
			return b.ended()
		default:
		}
		if paused := drivers.Pause(ctx, agentPoll); paused != nil {
			return fmt.Errorf("%w (%w); %s says: %s", paused, err, b.name, cmp.Or(b.last(), "nothing"))
		}
	}
}

// answering looks for the address at which WebDriverAgent is ready.
func (d *Driver) answering(ctx context.Context, udid string, a *agent, addresses []string) error {
	err := errors.New("its address is not known")
	for _, at := range addresses {
		if at == "" {
			continue
		}
		var silent error
		if _, silent = (&wda{id: udid, base: at, http: d.http}).status(ctx); silent == nil {
			a.url = at
			return nil
		}
		err = silent
	}
	return err
}

// bundle is the id of the app that WebDriverAgent is.
func (d *Driver) bundle() string {
	if bundle := d.getenv("TAPROOT_WDA_BUNDLE"); bundle != "" {
		return bundle
	}
	return "com.facebook.WebDriverAgentRunner.xctrunner"
}

// testRun finds what Xcode needs to run WebDriverAgent: the file that TAPROOT_WDA_XCTESTRUN names, else the newest that
// Xcode built.
func (d *Driver) testRun(k kind) (string, error) {
	if file := d.getenv("TAPROOT_WDA_XCTESTRUN"); file != "" {
		if _, err := os.Stat(file); err != nil {
			return "", fmt.Errorf("TAPROOT_WDA_XCTESTRUN: %w", err)
		}
		return file, nil
	}
	platform, signing := "iphonesimulator", ""
	if k == phone { // which starts what a team has signed for it
		platform, signing = "iphoneos", " --team YOUR_TEAM_ID"
	}
	files, _ := filepath.Glob(filepath.Join(escapeGlob(d.home),
		"Library/Developer/Xcode/DerivedData/WebDriverAgent-*/Build/Products", "*"+platform+"*.xctestrun"))
	if d.home == "" || len(files) == 0 {
		return "", fmt.Errorf(
			"WebDriverAgent is not built: run `taproot ios build-agent%s`, or let TAPROOT_WDA_URL name one that runs", signing)
	}
	sort.Slice(files, func(i, j int) bool { return modified(files[i]).After(modified(files[j])) })
	return files[0], nil
}

func modified(file string) time.Time {
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func escapeGlob(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
