package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// Access is what a session may touch of the machine it runs on. The zero value is a local user's: everything.
type Access struct {
	// Root holds the files that steps may name; nil: any file, relative to Session.Dir.
	Root *os.Root
	// NoFile is what else is reported of a missing file, such as how to send one; "": nothing.
	NoFile string
	// Dial makes the connections of http steps; nil: the system's own.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Address refuses addresses that pages and links must not be opened at; nil: none.
	Address func(ctx context.Context, address string) error
}

// mayOpen refuses an address that this session must not open.
func (c *Settings) mayOpen(ctx context.Context, address string) error {
	if c.Access.Address == nil {
		return nil
	}
	if err := c.Access.Address(ctx, address); err != nil {
		return &refusal{Failure{event.Problem{Message: err.Error(), Kind: event.Refused}}, err}
	}
	return nil
}

// refusal is a Failure with a reason that callers can read.
type refusal struct {
	Failure
	err error
}

func (r *refusal) Unwrap() []error { return []error{&r.Failure, r.err} }

// badFile is about a file that a step names: the author of the step is to blame, not the app.
func badFile(format string, args ...any) *Failure {
	p := problem(format, args...)
	p.Kind = event.BadFile
	return &Failure{p}
}

// File returns the real path of a file that a script names.
func (s *Performer) File(name string) (string, error) { return s.file(name, s.Platform) }

// app returns the real path of an app in a file, or of one that is a folder: a bundle of iOS, split APKs of Android.
func (s *Performer) app(name string) (string, error) {
	path, err := s.path(name)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() && s.Platform == dsl.Android {
		return path, nil
	}
	return s.File(name)
}

// file returns the real path of a file that a step names; on iOS an app is a folder.
func (c *Settings) file(name string, on dsl.Platform) (string, error) {
	path, err := c.path(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", badFile("there is no file %s%s", c.shown(name, path), c.Access.NoFile)
	case err != nil:
		return "", err
	case info.IsDir() && on == dsl.IOS && filepath.Ext(path) == ".app": // an app of iOS is a folder
		return path, nil
	case !info.Mode().IsRegular():
		return "", &Failure{problem("%s is not a file", c.shown(name, path))}
	}
	return path, nil
}

// upload returns the real path of a file, or of a folder that is uploaded with all that it holds. A caller from
// elsewhere uploads no folders: a link in one may lead anywhere.
func (s *Performer) upload(name string) (string, error) {
	if s.Access.Root == nil {
		path, err := s.path(name)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path, nil
		}
	}
	return s.File(name)
}

// fileFor returns the real path of a saved state that a step writes; its folder is made. A caller from elsewhere can
// write such files only, over nothing else.
func (c *Settings) fileFor(name string) (string, error) {
	path, err := c.path(name)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", &Failure{problem("%s is not a file", c.shown(name, path))}
	}
	if c.Access.Root != nil && !mayBeState(path) {
		return "", &Failure{problem("%q cannot be written: name a .json file that is new or holds a saved state", name)}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("folder of %s: %w", name, err)
	}
	return path, nil
}

// mayBeState reports whether there is a saved state at path, or can be one.
func mayBeState(path string) bool {
	if filepath.Ext(path) != ".json" {
		return false
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	var state struct {
		Cookies *[]any `json:"cookies"`
		Origins *[]any `json:"origins"`
	}
	return err == nil && json.Unmarshal(data, &state) == nil && state.Cookies != nil && state.Origins != nil
}

// path returns the real path of a name, whether or not there is a file. With a root, a name or a link that leads
// out of it is the caller's mistake.
func (c *Settings) path(name string) (string, error) {
	if c.Dir == "" && c.Access.Root == nil {
		return "", &Failure{problem("%q: only a test in a file can name files", name)}
	}
	path := filepath.FromSlash(name)
	if c.Dir != "" && !filepath.IsAbs(path) {
		path = filepath.Join(c.Dir, path)
	}
	if c.Access.Root == nil {
		return path, nil
	}
	inside := path
	if c.Dir != "" && !filepath.IsAbs(filepath.FromSlash(name)) {
		var err error
		if inside, err = filepath.Rel(c.Access.Root.Name(), path); err != nil {
			return "", err
		}
	}
	if _, err := c.Access.Root.Stat(inside); hidden(inside) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", badFile("%q cannot be used: files lie below the folder that the server was given, without links out of it",
			name)
	}
	return filepath.Join(c.Access.Root.Name(), inside), nil
}

// hidden reports whether a part of a path starts with a dot: .env and .git are not files for callers from elsewhere.
func hidden(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "."
	})
}

// shown is how messages call a file: by its path to who may see it, else as it was named.
func (c *Settings) shown(name, path string) string {
	if c.Access.Root != nil {
		return name
	}
	return path
}

// AfterUse is what is done with the used apps on a device, when it is released.
type AfterUse string

// The policies: what runs continues (the default), is stopped, or is stopped and loses its data.
const (
	NothingAfterUse AfterUse = "nothing"
	StopAfterUse    AfterUse = "stop"
	ClearAfterUse   AfterUse = "clear"
)

// ParseAfterUse reads the name of a policy.
func ParseAfterUse(text string) (AfterUse, error) {
	p := AfterUse(text)
	if !slices.Contains([]AfterUse{NothingAfterUse, StopAfterUse, ClearAfterUse}, p) {
		return "", fmt.Errorf("%q is not a policy: write nothing, stop or clear", text)
	}
	return p, nil
}

// Cleans reports whether anything is done.
func (p AfterUse) Cleans() bool { return p == StopAfterUse || p == ClearAfterUse }

// UsedApps are the apps that were started or installed on a device: what a policy may clean. A nil one notes
// nothing. One goroutine at a time uses it.
type UsedApps struct{ apps map[string]bool }

// Apps lists them, sorted.
func (u *UsedApps) Apps() []string {
	if u == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(u.apps))
}

func (u *UsedApps) started(app string) {
	if u == nil || app == "" {
		return
	}
	if u.apps == nil {
		u.apps = map[string]bool{}
	}
	name, _, _ := strings.Cut(app, "/") // behind the slash is an activity
	u.apps[name] = true
}

// Install calls install, and notes which apps are new after it.
func (u *UsedApps) Install(ctx context.Context, d drivers.AppManager, install func() error) error {
	if u == nil {
		return install()
	}
	before, err := d.ListApps(ctx)
	if err != nil {
		return install() // then it is unknown what is new
	}
	if err := install(); err != nil {
		return err
	}
	after, err := d.ListApps(ctx)
	if err != nil {
		return nil
	}
	for _, app := range after {
		if !slices.Contains(before, app) {
			u.started(app)
		}
	}
	return nil
}

// Clean does with the apps what a policy says, and forgets them. Data are cleared of apps alone that were installed on
// top of the system's: the settings of a phone are not data of a test. An app that is gone is fine.
func (u *UsedApps) Clean(ctx context.Context, dev drivers.Device, p AfterUse) error {
	apps := u.Apps()
	if u != nil {
		u.apps = nil
	}
	d, ok := dev.(drivers.AppManager)
	if !ok || len(apps) == 0 || !p.Cleans() {
		return nil
	}
	var errs []error
	var own []string
	if p == ClearAfterUse {
		var err error
		if own, err = d.ListApps(ctx); err != nil {
			errs = append(errs, err)
		}
	}
	for _, app := range apps {
		err := d.Stop(ctx, app)
		if err == nil && slices.Contains(own, app) {
			err = d.ClearApp(ctx, app)
		}
		if err != nil && !errors.Is(err, drivers.ErrNoApp) {
			errs = append(errs, fmt.Errorf("%s: %w", app, err))
		}
	}
	return errors.Join(errs...)
}
