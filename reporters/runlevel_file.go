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
	return writeBy(root, ".aside-"+rand.Text()[:8]+"-"+name, os.O_EXCL, name, bytesWriter(data))
}
