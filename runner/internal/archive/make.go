// Package archive transfers what tests need to other machines. The folders of the tests, and the files that their steps
// name, become one archive, with its SHA-256 as its name. A host keeps archives while there is space, and extracts one
// for each run.
package archive

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Limits apply when an archive is made and when it is received.
var Limits = upload.Limits{Archive: 2 << 30, Bytes: 4 << 30, File: 2 << 30, Files: 50_000, Ratio: 1000, Depth: 40}

// Made is an archive of what tests need.
type Made struct {
	SHA256 string // of its bytes, in hex
	Bytes  int64
	Dir    string // the working folder, relative to the archive's root, with slashes
	root   string
}

// Options say what an archive contains.
type Options struct {
	Dir   string     // the working folder
	Needs plan.Needs // of the cases
	Skip  []string   // absolute paths of folders to leave out: the reports
}

// Make writes the archive of what cases need. The same files make the same bytes. Unless a step names them, it leaves
// out hidden files, node_modules, files with names of keys or passwords, unreadable files, and files with names that
// are not possible on every host. It leaves out symbolic links that lead out of the folders.
func Make(o Options, w io.Writer) (Made, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return Made{}, err
	}
	m := maker{o: o, files: map[string]string{}, needed: map[string]bool{}}
	for _, folder := range o.Needs.Folders {
		if err := m.folder(folder); err != nil {
			return Made{}, fmt.Errorf("archive the tests: %w", err)
		}
	}
	for _, file := range o.Needs.Files {
		m.files[file], m.needed[file] = file, true
	}
	for file := range o.Needs.Texts {
		m.files[file], m.needed[file] = file, true
	}
	made := Made{root: ancestor(append(slices.Concat([]string{dir}, o.Needs.Folders), dirs(o.Needs.Files)...))}
	if made.Dir, err = inside(made.root, dir); err != nil {
		return Made{}, fmt.Errorf("archive the tests: %w", err)
	}
	sum := sha256.New()
	n := &counted{w: io.MultiWriter(w, sum)}
	if err := m.write(n, made.root); err != nil {
		return Made{}, fmt.Errorf("archive the tests: %w", err)
	}
	made.SHA256, made.Bytes = hex.EncodeToString(sum.Sum(nil)), n.n
	return made, nil
}

// Name returns the name of a file in the archive.
func (m Made) Name(file string) (string, error) { return inside(m.root, file) }

func inside(root, file string) (string, error) {
	rel, err := filepath.Rel(root, file)
	if err == nil && !filepath.IsLocal(rel) {
		err = fmt.Errorf("%s is not below %s", file, root)
	}
	return filepath.ToSlash(rel), err
}

type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

type maker struct {
	o     Options
	files map[string]string // the real path of each, by the path that names it

	needed map[string]bool // named by steps, or read during planning
}

// folder adds all files of a folder.
func (m *maker) folder(dir string) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission) && file != dir:
			return nil
		case err != nil:
			return err
		case d.IsDir() && file != dir && (passedBy(d.Name()) || slices.Contains(m.o.Skip, file)):
			return filepath.SkipDir
		case d.IsDir() || passedBy(d.Name()) || secret(d.Name()):
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			real, err := filepath.EvalSymlinks(file)
			if err != nil || !m.holds(real) {
				return nil
			}
			if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
				return nil
			}
			m.files[file] = real
		case d.Type().IsRegular():
			m.files[file] = file
		}
		if len(m.files) > Limits.Files {
			return fmt.Errorf("%s has more than %d files: start in the folder of the tests", dir, Limits.Files)
		}
		return nil
	})
}

// holds reports whether a file is in one of the folders.
func (m *maker) holds(file string) bool {
	return slices.ContainsFunc(m.o.Needs.Folders, func(dir string) bool {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return false
		}
		_, err = inside(real, file)
		return err == nil
	})
}

// passedBy reports whether a file or folder with this name is left out because tests do not need it.
func passedBy(name string) bool {
	return strings.HasPrefix(name, ".") && name != ".maestro" || name == "node_modules"
}

// secret reports whether a file name is typical of a file with secrets.
func secret(name string) bool {
	name = strings.ToLower(name)
	switch filepath.Ext(name) {
	case ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".mobileprovision", ".kdbx":
		return true
	}
	return strings.HasPrefix(name, "id_rsa") || strings.HasPrefix(name, "id_ed25519") ||
		strings.HasPrefix(name, "id_ecdsa") || name == "credentials" || strings.HasSuffix(name, ".env")
}

func (m *maker) write(w io.Writer, root string) error {
	zip, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // fails for an unknown level only
	out := tar.NewWriter(zip)
	names, err := m.names(root)
	if err != nil {
		return err
	}
	left := Limits.Bytes
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var n int64
		var err error
		one := names[name]
		if text, known := m.o.Needs.Texts[one]; known {
			n, err = addText(out, name, text)
		} else {
			n, err = add(out, name, m.files[one])
		}
		if errors.Is(err, fs.ErrPermission) && !m.needed[one] {
			continue // a user without access does not need it for the tests
		}
		if err != nil {
			return err
		}
		if left -= n; left < 0 {
			return fmt.Errorf("the files have more than %d bytes together: start in the folder of the tests", Limits.Bytes)
		}
	}
	return errors.Join(out.Close(), zip.Close())
}

// names returns the paths of the files by their names in the archive. It leaves out names that are not possible on
// every host, unless the file is needed.
func (m *maker) names(root string) (map[string]string, error) {
	all := slices.Sorted(maps.Keys(m.files))
	slices.SortStableFunc(all, func(a, b string) int { // needed files come first
		switch x, y := m.needed[a], m.needed[b]; {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return 0
	})
	names, t := map[string]string{}, taken{map[string]bool{}, map[string]bool{}}
	for _, file := range all {
		in, err := inside(root, file)
		if err != nil {
			return nil, err
		}
		switch {
		case !upload.Fits(in, Limits):
			err = fmt.Errorf("%q is a name that is not possible on every host: rename it", in)
		case !t.take(in):
			err = fmt.Errorf(
				"%q and another name differ only in upper and lower case, which not every host distinguishes: rename one", in)
		default:
			names[in] = file
		}
		if err != nil && m.needed[file] {
			return nil, err
		}
	}
	return names, nil
}

// taken are names in lower case: some file systems ignore case.
type taken struct{ files, folders map[string]bool }

// take reserves the name of a file, unless another file or a folder has it.
func (t taken) take(name string) bool {
	name = strings.ToLower(name)
	if t.files[name] || t.folders[name] {
		return false
	}
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if t.files[at] {
			return false
		}
	}
	t.files[name] = true
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		t.folders[at] = true
	}
	return true
}

// add writes a file without attributes of the machine or the time.
func add(out *tar.Writer, name, file string) (n int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close() // opened for reading only
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is not a file", file)
	}
	h := header(name, info.Size())
	if info.Mode()&0o100 != 0 {
		h.Mode = 0o755
	}
	if err := out.WriteHeader(h); err != nil {
		return 0, err
	}
	n, err = io.Copy(out, io.LimitReader(f, info.Size()))
	if err == nil && n < info.Size() {
		err = fmt.Errorf("%s became shorter while it was read", file)
	}
	return n, err
}

func header(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: time.Unix(0, 0),
		Format: tar.FormatPAX}
}

// addText adds a file that holds a text.
func addText(out *tar.Writer, name, text string) (int64, error) {
	if err := out.WriteHeader(header(name, int64(len(text)))); err != nil {
		return 0, err
	}
	n, err := io.WriteString(out, text)
	return int64(n), err
}

// ancestor returns the deepest folder above all paths.
func ancestor(paths []string) string {
	root := paths[0]
	for _, p := range paths[1:] {
		for {
			if _, err := inside(root, p); err == nil || filepath.Dir(root) == root {
				break
			}
			root = filepath.Dir(root)
		}
	}
	return root
}

func dirs(files []string) []string {
	list := make([]string, len(files))
	for i, f := range files {
		list[i] = filepath.Dir(f)
	}
	return list
}
