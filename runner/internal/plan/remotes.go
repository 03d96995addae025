package plan

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// NotOnRemote is why a case does not run on a remote; "" when it does.
func NotOnRemote(c Case, r *dsl.RemoteServer) string {
	switch {
	case r == nil:
		return ""
	case len(c.Devices) > 0:
		return fmt.Sprintf("the test has several devices, and the remote %s runs tests with one", r.Name)
	case c.Platform != r.Platform:
		return fmt.Sprintf("the remote %s runs tests of the platform %s, and this one is for %s", r.Name, r.Platform,
			c.Platform)
	}
	browser := BrowserOf(c)
	if browser == "" || browser == r.Browser() {
		return ""
	}
	return fmt.Sprintf("the remote %s has no %s: its capabilities say which browser it has", r.Name,
		dsl.BrowserTitle(browser))
}

// checkOnRemote finds what a remote refuses of a case, before anything runs.
func checkOnRemote(c Case, r dsl.RemoteServer) error {
	if err := r.Check(c.Test); err != nil || r.Platform != dsl.Web {
		return err
	}
	return dsl.CheckBrowser(c.Test, dsl.Remote)
}

// NeedsLocal is why no remote can run a case with one device; "" when one can.
func NeedsLocal(c Case) string {
	err := checkOnRemote(c, dsl.RemoteServer{Platform: c.Platform})
	if list, is := err.(source.Errors); is && len(list) > 0 {
		return list[0].Msg
	}
	return ""
}

// BrowserOf is the browser that a case names; "" when any will do.
func BrowserOf(c Case) string { return cmp.Or(c.Browser, dsl.NamedBrowser(c.Test)) }

// suitesOf are the folders of which the settings apply to the tests that the options name.
func suitesOf(o Options) (dirs []string) {
	for _, arg := range o.Args {
		path := absolute(o.Dir, arg)
		info, err := os.Stat(path)
		switch {
		case err != nil: // an id
		case info.IsDir():
			dirs = append(dirs, path)
		default:
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	return append(dirs, defaultDir(absolute(o.Dir, ".")), absolute(o.Dir, "."))
}

// Remotes returns the settings with remotes that apply to the tests that the options name, by the names of the remotes;
// of two with one name the nearer one counts.
func Remotes(o Options) (map[string]dsl.Config, error) {
	found, err := remotes(o)
	all := make(map[string]dsl.Config, len(found))
	for name, c := range found {
		all[name] = c.Config
	}
	return all, err
}

func remotes(o Options) (map[string]config, error) {
	s := &suites{o: o, files: map[string]config{}, started: map[string][]Server{}}
	found := map[string]config{}
	for _, dir := range suitesOf(o) {
		all, err := s.above(dir)
		if err != nil {
			return nil, err
		}
		for _, c := range slices.Backward(all) {
			for _, name := range c.RemoteNames() {
				if _, known := found[name]; !known {
					found[name] = c
				}
			}
		}
	}
	return found, nil
}

// FindRemote returns a remote by its name, with its variables filled in. Nothing is asked of it. The error is a *Usage
// or a *ConfigError.
func FindRemote(o Options, name string) (dsl.RemoteServer, error) {
	found, err := remotes(o)
	if err != nil {
		return dsl.RemoteServer{}, err
	}
	c, known := found[name]
	if !known {
		var names []string
		for other := range found {
			names = append(names, other)
		}
		slices.Sort(names)
		if len(names) == 0 {
			return dsl.RemoteServer{}, &Usage{fmt.Sprintf("there is no remote %q: no taproot.yaml here has remotes", name)}
		}
		text := fmt.Sprintf("there is no remote %q; there are %s", name, strings.Join(names, ", "))
		if near := dsl.Suggest(name, names); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		return dsl.RemoteServer{}, &Usage{text}
	}
	r, err := c.Remote(name, o.Environment, dsl.ScopeOptions{Overrides: o.Vars, Env: o.Env})
	if err != nil {
		return r, &Usage{err.Error()}
	}
	if r.App != "" {
		if r.App = filepath.FromSlash(r.App); !filepath.IsAbs(r.App) {
			r.App = filepath.Join(c.dir, r.App)
		}
	}
	return r, nil
}
