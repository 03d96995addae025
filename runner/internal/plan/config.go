package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/filetree"
)

// ConfigName is the file at a suite's root with the suite's settings.
const ConfigName = "taproot.yaml"

// configNames are the accepted names of that file.
var configNames = []string{ConfigName, "taproot.yml"}

// config is a suite's taproot.yaml, or empty.
type config struct {
	dir string // its folder; "" without one
	dsl.Config
}

// findConfig reads the taproot.yaml that applies to a folder: the nearest one upward, within the project's root.
func findConfig(path string, o Options) (config, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return config{}, &Usage{err.Error()}
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		c, found, err := readConfig(dir, o)
		if found || err != nil || isRoot(dir) || filepath.Dir(dir) == dir {
			return c, err
		}
	}
}

// ConfigError is an error in a project's taproot.yaml: its file, its line, and how to fix it. It is not an error of the
// caller who requested a run of the project's tests.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }
func (e *ConfigError) Unwrap() error { return e.Err }

// readConfig reads the taproot.yaml of a folder, if there is one. The error is a *ConfigError.
func readConfig(dir string, o Options) (c config, found bool, err error) {
	defer func() {
		if err != nil {
			err = &ConfigError{err}
		}
	}()
	l := loader{o: o}
	for _, name := range configNames {
		file := absolute(dir, name)
		src, err := readCapped(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return config{}, false, &Usage{fmt.Sprintf("%s: %v", l.show(file), err)}
		case found:
			return config{}, false, &Usage{fmt.Sprintf("%s: %s is next to it, and only one of them can apply: remove one",
				l.show(file), ConfigName)}
		}
		parsed, err := dsl.ParseConfig(l.show(file), src, OwnActions(o, dir))
		if c, found = (config{dir: filepath.Dir(file), Config: parsed}), true; err != nil {
			return c, true, err
		}
	}
	return c, found, nil
}

// PrefersID reports whether the taproot.yaml that applies to a folder prefers an element's id to its text in recorded
// tests.
func PrefersID(dir string) (bool, error) {
	c, err := findConfig(dir, Options{Dir: dir})
	return c.PreferSelector == "id", err
}

// isRoot reports whether a folder is a project's root.
func isRoot(dir string) bool {
	return filetree.IsProject(dir, "go.mod", ".git")
}

// excludes reports whether path is excluded. A pattern that excludes the folder which the user named does not count.
func (c config) excludes(path, named string) bool {
	for _, pattern := range c.Exclude {
		if c.matches(pattern, path) && !c.matches(pattern, named) {
			return true
		}
	}
	return false
}

// includes reports whether a file belongs to the suite.
func (c config) includes(path string) bool {
	for _, pattern := range c.Include {
		if c.matches(pattern, path) {
			return true
		}
	}
	return len(c.Include) == 0
}

// matches reports whether the pattern, relative to the file that contains it, matches path or a folder above it.
func (c config) matches(pattern, path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(c.dir, abs)
	if err != nil || strings.HasPrefix(rel, "..") {
		return false
	}
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	for at := filepath.ToSlash(rel); at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
		if ok, err := doublestar.Match(pattern, at); err == nil && ok {
			return true
		}
	}
	return false
}
