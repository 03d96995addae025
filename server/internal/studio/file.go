package studio

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/server/internal/auth"
)

// maxTest limits the size of a test file.
const maxTest = 1 << 20

// testFile is a test in the editor. Sum identifies the state of the file; "": the file does not exist.
type testFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
	Sum  string `json:"sum"`
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// isTestName reports whether a name is that of a test in the project. os.Root ensures that no path leaves the project.
func isTestName(name string) bool {
	ext := path.Ext(name)
	if ext != ".yaml" && ext != ".yml" || !filepath.IsLocal(name) {
		return false
	}
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	return true
}

// mayUseFiles reports whether a person may read and write the project's files, and writes the error otherwise.
func (s *Studio) mayUseFiles(w http.ResponseWriter, who auth.Identity) bool {
	if s.o.Files == nil || s.o.Identify != nil && !who.May("devices:write") {
		http.Error(w, "There is no project here with files that you may open.", http.StatusForbidden)
		return false
	}
	return true
}

// open returns a file; one that does not exist is an empty file, to be saved.
func (s *Studio) open(w http.ResponseWriter, r *http.Request, who auth.Identity) {
	if !s.mayUseFiles(w, who) {
		return
	}
	name := r.URL.Query().Get("path")
	if !isTestName(name) {
		http.Error(w, "Name a file of this project that ends in .yaml.", http.StatusBadRequest)
		return
	}
	data, err := s.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		answer(w, http.StatusOK, testFile{Path: name})
	case err != nil:
		http.Error(w, "The file cannot be read: "+reason(err), http.StatusBadRequest)
	default:
		answer(w, http.StatusOK, testFile{Path: name, Text: string(data), Sum: sumOf(data)})
	}
}

func (s *Studio) read(name string) ([]byte, error) {
	f, err := s.o.Files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxTest {
		return nil, errors.Join(err, errors.New("it is not a test file"))
	}
	return io.ReadAll(io.LimitReader(f, maxTest))
}

// save writes a file, formatted as taproot fmt does, unless it has changed since the editor read it. Invalid YAML is
// not formatted.
func (s *Studio) save(w http.ResponseWriter, r *http.Request, who auth.Identity) {
	if !s.mayUseFiles(w, who) {
		return
	}
	var file testFile
	if r.Header.Get("Content-Type") != "application/json" ||
		json.NewDecoder(http.MaxBytesReader(w, r.Body, 2*maxTest)).Decode(&file) != nil || !isTestName(file.Path) ||
		len(file.Text) > maxTest {
		http.Error(w, "Send a file of this project that ends in .yaml.", http.StatusBadRequest)
		return
	}
	if out, err := source.Format(file.Path, []byte(file.Text)); err == nil {
		file.Text = string(out)
	}
	data, err := s.read(file.Path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		http.Error(w, "The file cannot be written: "+reason(err), http.StatusBadRequest)
		return
	case err == nil && file.Sum != sumOf(data) && file.Text != string(data), err != nil && file.Sum != "":
		answer(w, http.StatusConflict, testFile{Path: file.Path, Text: string(data), Sum: sumOf(data)})
		return
	}
	if err := s.write(file); err != nil {
		http.Error(w, "The file cannot be written: "+reason(err), http.StatusBadRequest)
		return
	}
	file.Sum = sumOf([]byte(file.Text))
	answer(w, http.StatusOK, file)
}

// write writes a file and creates its folders. Each write has its own temporary file, so that two at once do not mix.
func (s *Studio) write(file testFile) error {
	dir, base := path.Split(filepath.ToSlash(file.Path))
	dir = path.Clean("./" + dir)
	if err := s.o.Files.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	folder, err := s.o.Files.OpenRoot(dir)
	if err != nil {
		return err
	}
	return errors.Join(filetree.WriteWhole(folder, base, []byte(file.Text)), folder.Close())
}

// maxAttachment limits the size of a file next to a test.
const maxAttachment = 64 << 20

// attach saves a file next to a test that uses it: under its own name, or, when another file has that, with a number
// added.
func (s *Studio) attach(w http.ResponseWriter, r *http.Request, who auth.Identity) {
	if !s.mayUseFiles(w, who) {
		return
	}
	beside, name := r.URL.Query().Get("beside"), r.URL.Query().Get("name")
	if !isTestName(beside) || name != path.Base(name) || !filepath.IsLocal(name) || strings.HasPrefix(name, ".") ||
		strings.ContainsAny(name, "\\:") || isTestName(name) {
		http.Error(w, "Name a file to be saved next to a test of this project.", http.StatusBadRequest)
		return
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAttachment))
	if err != nil {
		http.Error(w, "The file is larger than 64 MB: put it next to the test yourself, and name it.",
			http.StatusRequestEntityTooLarge)
		return
	}
	if name, err = s.saveNextTo(beside, name, data); err != nil {
		http.Error(w, "The file cannot be written: "+reason(err), http.StatusBadRequest)
		return
	}
	answer(w, http.StatusOK, map[string]string{"name": name})
}

func (s *Studio) saveNextTo(test, name string, data []byte) (string, error) {
	dir := path.Dir(filepath.ToSlash(test))
	if err := s.o.Files.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	folder, err := s.o.Files.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	ext := path.Ext(name)
	for n, free := 2, name; n < 100; n, free = n+1, strings.TrimSuffix(name, ext)+"-"+strconv.Itoa(n)+ext {
		there, err := folder.ReadFile(free)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return free, filetree.WriteWhole(folder, free, data)
		case err == nil && bytes.Equal(there, data):
			return free, nil
		}
	}
	return "", errors.New("too many files have this name")
}

// reason returns an error of a file without its path.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that disconnected reads nothing
}
