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
	// RequiredOnly leaves out optional tools.
	RequiredOnly bool

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
	if err := in.installSystem(ctx); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		tool string
		do   func(context.Context) error
	}{{Agent, in.installAgent}, {Node, in.installNode}, {Driver, in.installDriver}, {Chromium, in.installChromium}} {
		if !slices.ContainsFunc(findings, func(f Finding) bool { return f.Tool.Name == step.tool }) {
			continue
		}
		if err := in.installOne(ctx, step.tool, step.do); err != nil {
			return nil, err
		}
	}
	return in.find(ctx)
}

// installOne installs a missing tool. A failure is printed, and the tool stays missing.
func (in Installer) installOne(ctx context.Context, name string, do func(context.Context) error) error {
	f, err := Find(ctx, in.Host, name)
	if err != nil || len(in.installable([]Finding{f})) == 0 {
		return err
	}
	if err := do(ctx); err != nil {
		in.say("could not install %s: %v", name, err)
	}
	return ctx.Err()
}

// installable returns the names of the unusable tools that an installation can fix.
func (in Installer) installable(findings []Finding) []string {
	var out []string
	for _, f := range findings {
		if f.Problem != "" && f.Pinned == "" && f.Tool.Name != Xcrun && f.Tool.Name != Go &&
			(f.Tool.Required || !in.RequiredOnly) {
			out = append(out, f.Tool.Name)
		}
	}
	return out
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
// together with Chromium, which shows boxes without them.
func (in Installer) groups(findings []Finding) []string {
	var out []string
	missing := in.installable(findings)
	for _, f := range findings {
		if slices.Contains(missing, f.Tool.Name) && (f.Tool.Name != Node || f.Path == "" && !in.hasNodeArchive()) {
			out = append(out, f.Tool.Name)
		}
	}
	if slices.Contains(missing, Chromium) {
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
