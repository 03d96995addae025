package run

import (
	"os"
	"testing"
)

// TestFilesOfPages: a host's pages are files of the tests that were sent, and a server's of its folder.
func TestFilesOfPages(t *testing.T) {
	if o := (Config{}).web(); o.FilesBelow != "" || o.NoFiles {
		t.Errorf("here: %+v", o)
	}
	if o := (Config{FilesBelow: "/tests"}).web(); o.FilesBelow != "/tests" {
		t.Errorf("on a host: %q", o.FilesBelow)
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c := Config{NoFilePages: true, FilesBelow: "/tests"}
	c.Access.Root = root
	if o := c.web(); o.FilesBelow != root.Name() || !o.NoFiles {
		t.Errorf("of a server: %+v", o)
	}
}
