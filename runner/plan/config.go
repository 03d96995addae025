package plan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/taproot-dev/taproot/dsl"
)

// ConfigName is the file at a suite's root that says how the suite is run.
const ConfigName = "taproot.yaml"

// config is a suite's taproot.yaml, or nothing.
type config struct {
	dir string // where it lies; "" without one
	dsl.Config
}

// findConfig reads the taproot.yaml that is in force for a folder: the nearest one upward, not beyond the project's root.
func findConfig(path, display string) (config, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return config{}, &Usage{err.Error()}
	}
	l := loader{o: Options{Dir: display}}
	for dir := abs; ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, ConfigName)
		src, err := readCapped(file)
		switch {
		case err == nil:
			c, err := dsl.ParseConfig(l.show(file), src)
			return config{dir: dir, Config: c}, err
		case !errors.Is(err, fs.ErrNotExist):
			return config{}, &Usage{err.Error()}
		case isRoot(dir) || filepath.Dir(dir) == dir:
			return config{}, nil
		}
	}
}

// isRoot tells whether a folder is a project's root.
func isRoot(dir string) bool {
	for _, mark := range []string{"go.mod", ".git"} {
		if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
			return true
		}
	}
	return false
}

// excludes tells whether path is left out. A pattern that leaves out the folder which the user named does not count.
func (c config) excludes(path, named string) bool {
	for _, pattern := range c.Exclude {
		if c.matches(pattern, path) && !c.matches(pattern, named) {
			return true
		}
	}
	return false
}

// matches tells whether the pattern, relative to the file that holds it, picks path or a folder above it.
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
