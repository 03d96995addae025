package reporters

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
)

// WriteFile writes a file of a run, or of the reports folder, as a whole or not at all. The name has no folder in it; what is
// there under it is replaced, a link not followed.
func WriteFile(dir, name string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return errors.Join(writeWhole(root, name, data), root.Close())
}

func writeWhole(root *os.Root, name string, data []byte) error {
	if path.Base(name) != name {
		return fmt.Errorf("write %q: not the name of a file", name)
	}
	aside := ".aside-" + rand.Text()[:8] + "-" + name
	f, err := root.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = moveInto(root, aside, name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, removeIfThere(root, aside)))
	}
	return nil
}
