package androidsim

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

const maxDeviceFile = 256 << 20

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

// resolve cleans a device path; the other names of the shared storage lead to /sdcard.
func resolve(dir, name string) string {
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

// writable says whether the user shell may create files in a directory.
func writable(name string) bool {
	return strings.HasPrefix(name, "/sdcard/") || strings.HasPrefix(name, "/data/local/tmp/")
}

// fill makes every write fail, or lets them be.
func (f *fileSystem) fill(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = full
}

func (f *fileSystem) stat(name string) (fileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[name]
	if !ok {
		return fileInfo{}, f.missing(name)
	}
	return fileInfo{name: path.Base(name), num: n.num, mode: n.mode, size: int64(len(n.data)), mtime: n.mtime}, nil
}

// missing distinguishes a path through a file from one that is not there. f.mu is held.
func (f *fileSystem) missing(name string) error {
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		if n, ok := f.nodes[dir]; ok {
			if !n.mode.IsDir() {
				return errNotDir
			}
			break
		}
	}
	return fs.ErrNotExist
}

// errno is an error as the C library words it.
type errno string

func (e errno) Error() string { return string(e) }

const (
	errNotDir   = errno("Not a directory")
	errIsDir    = errno("Is a directory")
	errFull     = errno("No space left on device")
	errReadOnly = errno("Read-only file system")
)

// reason is any error of the file system in those words.
func reason(err error) string {
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

func (f *fileSystem) list(dir string) ([]fileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[dir]
	if !ok {
		return nil, f.missing(dir)
	}
	if !n.mode.IsDir() {
		return nil, errNotDir
	}
	if dir == "/data" || dir == "/proc" {
		return nil, fs.ErrPermission
	}
	var out []fileInfo
	for _, name := range slices.Sorted(maps.Keys(f.nodes)) {
		if name != "/" && path.Dir(name) == dir {
			n := f.nodes[name]
			out = append(out, fileInfo{name: path.Base(name), num: n.num, mode: n.mode, size: int64(len(n.data)),
				mtime: n.mtime})
		}
	}
	return out, nil
}

func (f *fileSystem) mkdir(name string, parents bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n, ok := f.nodes[name]; ok {
		if parents && n.mode.IsDir() {
			return nil
		}
		return fs.ErrExist
	}
	if !writable(name) {
		return fs.ErrPermission
	}
	var chain []string
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		n, ok := f.nodes[dir]
		if ok && !n.mode.IsDir() {
			return errNotDir
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

func (f *fileSystem) remove(name string, tree bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.nodes[name]
	switch {
	case !ok:
		return f.missing(name)
	case !writable(name):
		return fs.ErrPermission
	case n.mode.IsDir() && !tree:
		return errIsDir
	}
	delete(f.nodes, name)
	maps.DeleteFunc(f.nodes, func(k string, _ *inode) bool { return strings.HasPrefix(k, name+"/") })
	return nil
}

// read returns the content as it is now; the slice must not be changed.
func (f *fileSystem) read(name string) ([]byte, error) {
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

func (f *fileSystem) write(name string, data []byte, mode fs.FileMode) error {
	file, err := f.open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return err
}

func (f *fileSystem) setTime(name string, t time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n, ok := f.nodes[name]; ok {
		n.mtime = t
	}
}

// open is open(2) for the user shell; an open file stays usable after it was removed.
func (f *fileSystem) open(name string, flag int, mode fs.FileMode) (*deviceFile, error) {
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
	case wants && !writable(name):
		if strings.HasPrefix(name, "/system") || path.Dir(name) == "/" {
			return nil, errReadOnly
		}
		return nil, fs.ErrPermission
	}
	if !ok {
		if parent, there := f.nodes[path.Dir(name)]; !there {
			return nil, f.missing(name)
		} else if !parent.mode.IsDir() {
			return nil, errNotDir
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
	if len(d.node.data)+len(b) > maxDeviceFile || d.fs.full && len(b) > 0 {
		return 0, errFull
	}
	// A reader may hold the old slice, so it is never written to in place beyond its length.
	d.node.data = append(d.node.data, b...)
	d.node.mtime = time.Now()
	return len(b), nil
}

func (d *deviceFile) Close() error { return nil }

type fileInfo struct {
	name  string
	num   uint64
	mode  fs.FileMode
	size  int64
	mtime time.Time
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return i.mtime }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

// unixMode is the mode as the sync protocol and stat print it.
func (i fileInfo) unixMode() uint32 {
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

func (f *fileSystem) isFull() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.full
}
