package maestro

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/internal/source"
)

// Files reads what flows name: other flows, scripts. Paths have slashes and start where that of the flow does.
type Files interface {
	Read(path string) ([]byte, error)
	// Has reports whether there is such a file.
	Has(path string) bool
}

// folder finds the files that a flow names: by their paths from its own.
type folder struct {
	values
	file  string // of the flow
	files Files
}

// resolve is the path of a file that the flow names.
func (d folder) resolve(name string) string {
	if path.IsAbs(name) || filepath.IsAbs(name) {
		return path.Clean(filepath.ToSlash(name))
	}
	return path.Join(path.Dir(d.file), name)
}

// open reads a file that the flow names; nil: it cannot, which is reported.
func (d folder) open(f source.RawField) (name string, src []byte) {
	text := d.written(f)
	if text == nil {
		return "", nil
	}
	hint := "the path is relative to this file"
	if strings.Contains(*text, "${") {
		hint = "Maestro fills in no ${…} in the name of a file"
	}
	name = d.resolve(*text)
	src, err := d.files.Read(name)
	if err != nil {
		d.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("the file %q cannot be read: %v", short(*text), plainly(err)), hint)
		return name, nil
	}
	if src == nil {
		src = []byte{}
	}
	return name, src
}

// plainly drops what an error of the system says about the path: the message names it already.
func plainly(err error) error {
	var where *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file")
	case errors.As(err, &where):
		return where.Err
	}
	return err
}

// dir is the folder of the flow.
func (d folder) dir() string { return path.Dir(d.file) }

// has reports whether there is the file of a resolved name.
func (d folder) has(name string) bool { return d.files.Has(name) }
