package process

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/taproot-dev/taproot/runner/plan"
)

func Within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// ShownPath returns the path as messages contain it.
func ShownPath(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// ParseVars reads NAME=VALUE flags.
func ParseVars(list []string) (map[string]string, error) {
	vars := map[string]string{}
	for _, v := range list {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return nil, &plan.Usage{Msg: fmt.Sprintf("--var %q: write NAME=VALUE", v)}
		}
		vars[name] = value
	}
	return vars, nil
}

// DelayGC delays garbage collection while tests are read: it takes a quarter of the time, and there is little garbage.
// The returned function restores the setting.
func DelayGC() func() {
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}

// NothingFound reports where tests were searched.
func NothingFound(env *Env, args []string) string {
	if len(args) > 0 {
		return "no test was found in " + strings.Join(args, ", ")
	}
	return fmt.Sprintf(
		"no test was found: looked for *.yaml and *.yml files in %s and the folders below it; name another folder, or "+
			"create a test with taproot init",
		strings.Join(plan.Folders(env.Dir, nil), ", "))
}
