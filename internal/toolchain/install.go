package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// installTimeout limits one command of a package manager.
const installTimeout = 20 * time.Minute

// Installer installs what is missing or too old. Concurrent installers wait for each other.
type Installer struct {
	Host Host
	// Out receives every command before it runs, and its output.
	Out io.Writer
	// Interactive allows sudo to ask for a password.
	Interactive bool
	// FetchDriver puts the Playwright driver into an empty folder with playwright-go's own installer. It must end when its
	// context does.
	FetchDriver func(ctx context.Context, dir string) error
	// Platforms are the platforms of the tests to run here, including InFirefox and Development; nil: all.
	Platforms []string
	// RequiredOnly leaves out optional tools. Of Chromium, only its headless shell is installed where the system has a
	// package of it: the shell opens all pages that have no window.
	RequiredOnly bool
	// Without names tools that are not installed. Without Chromium, its headless shell is, as with RequiredOnly.
	Without []string

	archives []archive // instead of those of this version of Taproot
}

// find looks for the tools that are to be installed.
func (in Installer) find(ctx context.Context) ([]Finding, error) {
	platforms := in.Platforms
	if platforms == nil {
		platforms = []string{Android, IOS, Web, InFirefox, Development}
	}
	return AskFor(ctx, in.Host, platforms...)
}

// Install returns the tools after the installation. One that could not be installed has a Problem; it is not an error.
func (in Installer) Install(ctx context.Context) ([]Finding, error) {
	findings, err := in.find(ctx)
	if err != nil || len(in.installable(findings)) == 0 {
		return findings, err
	}
	if in.Host.CacheDir == "" {
		return nil, errors.New("this user has no cache folder to install into: set HOME")
	}
	unlock, err := in.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	in.Out = &locked{w: in.Out}
	// The package manager and the downloads from the npm registry need the network in turns with the processor, so they
	// run at the same time. A Node of the system is only known afterwards.
	var system error
	var wait sync.WaitGroup
	wait.Go(func() { system = in.installSystem(ctx) })
	if in.hasNodeArchive() {
		err = in.installEach(ctx, Agent, Node, Driver, NPM)
	} else {
		err = in.installEach(ctx, Agent)
	}
	wait.Wait()
	if err := errors.Join(system, err); err != nil {
		return nil, err
	}
	if err := in.installEach(ctx, Node, Driver, NPM, Chromium); err != nil {
		return nil, err
	}
	return in.find(ctx)
}

// installEach installs those of the tools that are missing, in this order. A failure is printed, and the tool stays
// missing.
func (in Installer) installEach(ctx context.Context, names ...string) error {
	steps := map[string]func(context.Context) error{Agent: in.installAgent, Node: in.installNode,
		Driver: in.installDriver, NPM: in.installNPM, Chromium: in.installChromium}
	findings, err := in.find(ctx)
	if err != nil {
		return err
	}
	missing := in.installable(findings)
	// The system's packages had neither of them.
	if slices.Contains(missing, Headless) && in.shellOnly() {
		missing = append(missing, Chromium)
	}
	for _, name := range names {
		if !slices.Contains(missing, name) {
			continue
		}
		if err := steps[name](ctx); err != nil && ctx.Err() == nil {
			in.say("could not install %s: %v", name, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// installable returns the names of the unusable tools that an installation can fix.
func (in Installer) installable(findings []Finding) []string {
	var out []string
	for _, f := range findings {
		name := f.Tool.Name
		if f.Problem == "" || f.Pinned != "" || name == Xcrun || name == Go {
			continue
		}
		if name == Headless && in.shellOnly() && slices.ContainsFunc(findings, missingChromium) {
			out = append(out, name)
			continue
		}
		if !f.Tool.Required && in.RequiredOnly || slices.Contains(in.Without, name) ||
			name == Chromium && in.shellOnly() {
			continue
		}
		out = append(out, name)
	}
	return out
}

// shellOnly reports whether the headless shell is installed in place of the whole Chromium.
func (in Installer) shellOnly() bool {
	return (in.RequiredOnly || slices.Contains(in.Without, Chromium)) && in.Host.hasPackage(Headless)
}

func (in Installer) lock(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(in.Host.CacheDir, 0o755); err != nil {
		return nil, fmt.Errorf("make the cache folder: %w", err)
	}
	lock := flock.New(filepath.Join(in.Host.CacheDir, "install.lock"))
	free, err := lock.TryLock()
	if err == nil && !free {
		in.say("waiting: another taproot is installing")
		_, err = lock.TryLockContext(ctx, 200*time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Unlock() }, nil
}

func (in Installer) installSystem(ctx context.Context) error {
	findings, err := in.find(ctx)
	if err != nil {
		return err
	}
	m, path, found := findManager(in.Host)
	groups := in.groups(findings)
	if !found || len(m.packagesFor(groups...)) == 0 {
		return nil
	}
	prefix, ok := in.elevate(m)
	if !ok {
		in.say("not root and no sudo here: %s cannot be used", m.program)
		return nil
	}
	run := func(args ...string) error { return in.run(ctx, slices.Concat(prefix, m.env, []string{path}, args)) }
	if len(m.update) > 0 {
		if err := run(m.update...); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			in.say("%v; continuing with the present package lists", err)
		}
	}
	if err := run(slices.Concat(m.install, m.packagesFor(groups...))...); err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	// One unknown package makes the whole command fail: install tool by tool.
	for _, group := range groups {
		packages := m.packagesFor(group)
		if len(packages) == 0 {
			continue
		}
		if err := run(slices.Concat(m.install, packages)...); err != nil {
			in.say("could not install %s: %v", group, err)
		}
	}
	return ctx.Err()
}

// groups returns the package groups to install: the missing tools, except those from the npm registry, and fonts
// together with a browser, which shows boxes without them.
func (in Installer) groups(findings []Finding) []string {
	var out []string
	missing := in.installable(findings)
	for _, f := range findings {
		if slices.Contains(missing, f.Tool.Name) && (f.Tool.Name != Node || f.Path == "" && !in.hasNodeArchive()) {
			out = append(out, f.Tool.Name)
		}
	}
	if slices.Contains(missing, Chromium) || slices.Contains(missing, Headless) && in.shellOnly() {
		out = append(out, groupFonts)
	}
	return out
}

// elevate returns the prefix of a command of the package manager, or false when it cannot be run.
func (in Installer) elevate(m manager) ([]string, bool) {
	env := []string{}
	if len(m.env) > 0 {
		env = []string{"env"}
	}
	if !m.asRoot || in.Host.Superuser {
		return env, true
	}
	sudo, err := in.Host.LookPath("sudo")
	if err != nil {
		return nil, false
	}
	words := []string{sudo}
	if !in.Interactive {
		words = append(words, "-n")
	}
	return append(words, env...), true
}

func (in Installer) run(ctx context.Context, words []string) error {
	in.say("+ %s", strings.Join(words, " "))
	path := words[0]
	if !filepath.IsAbs(path) {
		found, err := in.Host.LookPath(path)
		if err != nil {
			return err
		}
		path = found
	}
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	if _, err := in.Host.Run(ctx, Command{Path: path, Args: words[1:], Stream: in.Out}); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(words[0]), err)
	}
	return nil
}

func (in Installer) say(format string, args ...any) { fmt.Fprintf(in.Out, format+"\n", args...) }
