package history

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

const (
	latestLink = "latest"
	latestText = "latest.txt" // where links cannot be made
)

// PointLatest makes latest, in the reports folder, lead to the run, unless it leads to a later one. It is a relative
// link, or, where links cannot be made, the file latest.txt with the name. Any other file named latest is left alone.
func PointLatest(runDir string) (err error) {
	dir, name := filepath.Split(filepath.Clean(runDir))
	if !pack.IsRunName(name) {
		return fmt.Errorf("point latest: %q is not the name of a run", name)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("point latest: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if now := latest(root); now > name && isDir(root, now) {
		return nil
	}
	if info, err := root.Lstat(latestLink); err == nil && info.Mode()&os.ModeSymlink == 0 {
		return errors.New("point latest: something else has that name")
	}
	aside := ".aside-" + rand.Text()[:8] + "-" + latestLink
	if err := root.Symlink(name, aside); err != nil {
		return filetree.WriteWhole(root, latestText, []byte(name+"\n"))
	}
	if err := root.Rename(aside, latestLink); err != nil {
		return fmt.Errorf("point latest: %w", errors.Join(err, root.Remove(aside)))
	}
	return filetree.RemoveIfThere(root, latestText)
}

// latest is the name of the run that latest leads to. It does not follow the link.
func latest(root *os.Root) string {
	name, err := root.Readlink(latestLink)
	if err != nil {
		data, err := filetree.ReadCapped(root, latestText, 100)
		if err != nil {
			return ""
		}
		name = strings.TrimSpace(string(data))
	}
	if !pack.IsRunName(name) {
		return ""
	}
	return name
}

func isDir(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.IsDir()
}

// FindRun returns the directory of a run under root by its name. "latest" or "" is the run that latest leads to;
// without a latest, the last run.
func FindRun(root, name string) (string, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return "", fmt.Errorf("there are no reports: %w", err)
	}
	defer dir.Close() // nothing was written
	if name != "" && name != latestLink {
		if !pack.IsRunName(name) || !isDir(dir, name) {
			return "", fmt.Errorf("there is no run %s in %s", name, root)
		}
		return filepath.Join(root, name), nil
	}
	if at := latest(dir); at != "" && isDir(dir, at) {
		return filepath.Join(root, at), nil
	}
	runs, err := pack.Folders(dir, pack.IsRunName)
	if err != nil {
		return "", fmt.Errorf("list the runs: %w", err)
	}
	if len(runs) == 0 {
		return "", fmt.Errorf("there is no run in %s", root)
	}
	return filepath.Join(root, slices.Max(runs)), nil
}
