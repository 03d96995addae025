package kernel

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// MaxDeviceFile is how large a file can be, in bytes.
const MaxDeviceFile = 256 << 20

// fileSystem is the storage of a phone: directories and files in memory.
type fileSystem struct {
	mu    sync.Mutex
	nodes map[string]*inode
	next  uint64
	full  bool // nothing more can be written
}

type inode struct {
	num   uint64
	mode  fs.FileMode
	data  []byte
	mtime time.Time
}

func newFileSystem() *fileSystem {
	f := &fileSystem{nodes: map[string]*inode{}}
	for _, dir := range []string{
		"/", "/sdcard", "/sdcard/Download", "/sdcard/DCIM", "/sdcard/Pictures", "/data", "/data/local", "/data/local/tmp",
		"/dev", "/system", "/system/bin", "/storage", "/storage/emulated", "/proc",
	} {
		f.add(dir, fs.ModeDir|0o771)
	}
	f.add("/dev/null", fs.ModeDevice|fs.ModeCharDevice|0o666)
	f.add("/dev/tty", fs.ModeDevice|fs.ModeCharDevice|0o666)
	return f
}

func (f *fileSystem) add(name string, mode fs.FileMode) *inode {
	f.next++
	n := &inode{num: f.next, mode: mode, mtime: time.Now()}
	f.nodes[name] = n
	return n
}

// Resolve cleans a device path; the other names of the shared storage lead to /sdcard.
func Resolve(dir, name string) string {
	name = strings.ReplaceAll(name, "\\", "/")
	if len(name) > 1 && name[1] == ':' { // the interpreter makes paths of the host's form
		name = name[2:]
	}
	if !path.IsAbs(name) {
		name = path.Join("/", dir, name)
	}
	name = path.Clean(name)
	for _, alias := range []string{"/storage/emulated/0", "/mnt/sdcard", "/storage/self/primary"} {
		if name == alias || strings.HasPrefix(name, alias+"/") {
			return path.Clean("/sdcard" + strings.TrimPrefix(name, alias))
		}
	}
	return name
}

// Writable says whether the user shell may create files in a directory.
func Writable(name string) bool {
	return strings.HasPrefix(name, "/sdcard/") || strings.HasPrefix(name, "/data/local/tmp/")
}

// Fill makes every write fail, or lets them be.
func (f *fileSystem) Fill(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = full
}

// Stat describes a file or directory.
func (f *fileSystem) Stat(name string) (FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[name]
	if !ok {
		return FileInfo{}, f.missing(name)
	}
	return FileInfo{name: path.Base(name), Num: n.num, mode: n.mode, size: int64(len(n.data)), mtime: n.mtime}, nil
}

// missing distinguishes a path through a file from one that is not there. f.mu is held.
func (f *fileSystem) missing(name string) error {
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		if n, ok := f.nodes[dir]; ok {
			if !n.mode.IsDir() {
				return ErrNotDir
			}
			break
		}
	}
	return fs.ErrNotExist
}

// Errno is an error as the C library words it.
type Errno string

func (e Errno) Error() string { return string(e) }

const (
	ErrNotDir   = Errno("Not a directory")
	errIsDir    = Errno("Is a directory")
	errFull     = Errno("No space left on device")
	errReadOnly = Errno("Read-only file system")
)

// Reason is any error of the file system in those words.
func Reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "No such file or directory"
	case errors.Is(err, fs.ErrExist):
		return "File exists"
	case errors.Is(err, fs.ErrPermission):
		return "Permission denied"
	default:
		return err.Error()
	}
}

// List returns what is in a directory, sorted by name.
func (f *fileSystem) List(dir string) ([]FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[dir]
	if !ok {
		return nil, f.missing(dir)
	}
	if !n.mode.IsDir() {
		return nil, ErrNotDir
	}
	if dir == "/data" || dir == "/proc" {
		return nil, fs.ErrPermission
	}
	var out []FileInfo
	for _, name := range slices.Sorted(maps.Keys(f.nodes)) {
		if name != "/" && path.Dir(name) == dir {
			n := f.nodes[name]
			out = append(out, FileInfo{name: path.Base(name), Num: n.num, mode: n.mode, size: int64(len(n.data)),
				mtime: n.mtime})
		}
	}
	return out, nil
}

// Mkdir makes a directory, with its parents if asked.
func (f *fileSystem) Mkdir(name string, parents bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n, ok := f.nodes[name]; ok {
		if parents && n.mode.IsDir() {
			return nil
		}
		return fs.ErrExist
	}
	if !Writable(name) {
		return fs.ErrPermission
	}
	var chain []string
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		n, ok := f.nodes[dir]
		if ok && !n.mode.IsDir() {
			return ErrNotDir
		}
		if ok {
			break
		}
		if !parents {
			return fs.ErrNotExist
		}
		chain = append(chain, dir)
	}
	for _, dir := range slices.Backward(chain) {
		f.add(dir, fs.ModeDir|0o771)
	}
	f.add(name, fs.ModeDir|0o771)
	return nil
}

// Remove deletes a file, or a tree.
func (f *fileSystem) Remove(name string, tree bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[name]
	switch {
	case !ok:
		return f.missing(name)
	case !Writable(name):
		return fs.ErrPermission
	case n.mode.IsDir() && !tree:
		return errIsDir
	}
	delete(f.nodes, name)
	maps.DeleteFunc(f.nodes, func(k string, _ *inode) bool { return strings.HasPrefix(k, name+"/") })
	return nil
}

// Read returns the content as it is now; the slice must not be changed.
func (f *fileSystem) Read(name string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[name]
	switch {
	case !ok:
		return nil, f.missing(name)
	case n.mode.IsDir():
		return nil, errIsDir
	}
	return n.data[:len(n.data):len(n.data)], nil
}

func (f *fileSystem) Write(name string, data []byte, mode fs.FileMode) error {
	file, err := f.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return err
}

// SetTime changes when a file was modified.
func (f *fileSystem) SetTime(name string, t time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n, ok := f.nodes[name]; ok {
		n.mtime = t
	}
}

// Open is open(2) for the user shell; an open file stays usable after it was removed.
func (f *fileSystem) Open(name string, flag int, mode fs.FileMode) (*deviceFile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[name]
	wants := flag&(os.O_WRONLY|os.O_RDWR) != 0
	switch {
	case ok && n.mode.IsDir() && wants:
		return nil, errIsDir
	case ok && n.mode&fs.ModeDevice != 0:
		return &deviceFile{fs: f, node: n, null: true}, nil
	case !ok && flag&os.O_CREATE == 0:
		return nil, f.missing(name)
	case wants && !Writable(name):
		if strings.HasPrefix(name, "/system") || path.Dir(name) == "/" {
			return nil, errReadOnly
		}
		return nil, fs.ErrPermission
	}
	if !ok {
		if parent, there := f.nodes[path.Dir(name)]; !there {
			return nil, f.missing(name)
		} else if !parent.mode.IsDir() {
			return nil, ErrNotDir
		}
		n = f.add(name, mode.Perm())
	}
	if flag&os.O_TRUNC != 0 {
		n.data, n.mtime = nil, time.Now()
	}
	return &deviceFile{fs: f, node: n}, nil
}

// deviceFile is an open file: reads from its own place, writes at the end.
type deviceFile struct {
	fs   *fileSystem
	node *inode
	off  int
	null bool
}

func (d *deviceFile) Read(b []byte) (int, error) {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	if d.null || d.off >= len(d.node.data) {
		return 0, io.EOF
	}
	n := copy(b, d.node.data[d.off:])
	d.off += n
	return n, nil
}

func (d *deviceFile) Write(b []byte) (int, error) {
	if d.null {
		return len(b), nil
	}
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	if len(d.node.data)+len(b) > MaxDeviceFile || d.fs.full && len(b) > 0 {
		return 0, errFull
	}
	// A reader may hold the old slice, so it is never written to in place beyond its length.
	d.node.data = append(d.node.data, b...)
	d.node.mtime = time.Now()
	return len(b), nil
}

func (d *deviceFile) Close() error { return nil }

// FileInfo describes a file or directory.
type FileInfo struct {
	name  string
	Num   uint64
	mode  fs.FileMode
	size  int64
	mtime time.Time
}

func (i FileInfo) Name() string { return i.name }

func (i FileInfo) Size() int64 { return i.size }

func (i FileInfo) Mode() fs.FileMode { return i.mode }

func (i FileInfo) ModTime() time.Time { return i.mtime }

func (i FileInfo) IsDir() bool { return i.mode.IsDir() }

func (i FileInfo) Sys() any { return nil }

// UnixMode is the mode as the sync protocol and stat print it.
func (i FileInfo) UnixMode() uint32 {
	m := uint32(i.mode.Perm())
	switch {
	case i.mode.IsDir():
		return m | 0o040000
	case i.mode&fs.ModeCharDevice != 0:
		return m | 0o020000
	default:
		return m | 0o100000
	}
}

// IsFull reports whether nothing more can be written.
func (f *fileSystem) IsFull() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.full
}
