package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

// ExecVariable lets tests run programs on this machine (exec).
const ExecVariable = "TAPROOT_ALLOW_EXEC"

// Programs says whether tests may run programs on this machine (exec).
type Programs struct{ Allowed bool }

// ByUser allows programs when the environment or the user's own configuration file does. Only what runs tests for the
// user of this machine calls it: no server, and no host of a farm. dir is the folder of the tests.
func (p *Programs) ByUser(get func(string) string, dir string) error {
	if v := get(ExecVariable); v != "" {
		on, err := strconv.ParseBool(v)
		if err != nil {
			return fmt.Errorf("%s=%q: use true or false", ExecVariable, v)
		}
		p.Allowed = on
		return nil
	}
	file := userFile(get)
	var err error
	if p.Allowed, err = allowedBy(file, dir); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// userFile is the user's own configuration file; empty: there is no place for one.
func userFile(get func(string) string) string {
	dir := get("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(dir, "taproot", "config.yaml")
}

// maxUserFile is the largest configuration file, in bytes.
const maxUserFile = 1 << 20

// allowedBy reports whether the user's own configuration file allows programs. One that a project brings, or that
// others can write, is an error.
func allowedBy(file, dir string) (bool, error) {
	if file == "" {
		return false, nil
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular() || info.Size() > maxUserFile:
		return false, errors.New("not a file of settings")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	if allowed, err := readUserFile(file, data); err != nil || !allowed {
		return false, err
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false, err
	}
	root := ProjectRoot(dir)
	if at, err := filepath.EvalSymlinks(root); err == nil {
		root = at
	}
	inside, err := filepath.Rel(root, real)
	switch home, _ := os.UserHomeDir(); {
	case err == nil && filepath.IsLocal(inside) && root != home && filetree.IsProject(root, "go.mod", ".git"):
		return false, errors.New("it is in the project, which cannot allow itself to run programs")
	case !onlyOwnerWrites(info):
		return false, errors.New("others can write it: chmod go-w, so that only you can allow programs")
	}
	return true, nil
}

// readUserFile reads the text of the user's own configuration file.
func readUserFile(file string, data []byte) (allowed bool, err error) {
	text, src, bad := source.Readable(file, data)
	if bad != nil {
		return false, bad
	}
	docs, err := source.Read(text, src)
	if err != nil || len(docs) == 0 {
		return false, err
	}
	for _, f := range docs[0].Fields {
		if f.Key != "allowExec" || f.Value.Kind != source.Bool {
			return false, errors.New("write allowExec: true or allowExec: false, and nothing else")
		}
		allowed = f.Value.Go() == true
	}
	return allowed, nil
}

// onlyOwnerWrites reports whether only its owner can change a file; Windows has no such permissions.
func onlyOwnerWrites(info fs.FileInfo) bool { return !unixModes() || info.Mode().Perm()&0o022 == 0 }

// unixModes reports whether the modes of files say who can write them.
func unixModes() bool { return os.PathSeparator == '/' }

// Options says where programs leave their records; nil: tests may run none.
func (p Programs) Options(get func(string) string) *start.Options {
	if !p.Allowed {
		return nil
	}
	return &start.Options{Records: pool.LeaseDir(get), Environ: os.Environ()}
}
