package upload

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"
)

const (
	eventsFile = "events.ndjson"
	// fairRatio is how much may be unpacked before the ratio is checked: a small archive of a log may well have a ratio of
	// a hundred.
	fairRatio = 16 << 20
	maxName   = 1024 // bytes of a path
	maxPart   = 200  // bytes of one of its parts
	maxTail   = 1 << 20
)

// extractor unpacks one archive below root. Without a root it only checks the archive.
type extractor struct {
	root   *os.Root
	limits Limits
	exec   bool // keep the executable bit of files
	in     *counter
	bytes  int64
	count  int
	names  map[string]bool   // those in use, in lower case: some file systems ignore case
	dirs   map[string]bool   // those of folders, in lower case
	sums   map[string]string // SHA-256 and size by name, of files
}

// counter counts the bytes of the archive, and fails at the limit.
type counter struct {
	ctx context.Context
	r   io.Reader
	n   int64
	max int64
}

func (c *counter) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, context.Cause(c.ctx)
	}
	n, err := c.r.Read(p)
	if c.n += int64(n); c.n > c.max {
		return n, &TooLarge{fmt.Sprintf("the archive has more than %d bytes", c.max)}
	}
	return n, err
}

func (x *extractor) all(ctx context.Context, archive io.Reader) error {
	x.in = &counter{ctx: ctx, r: archive, max: x.limits.Archive}
	x.names, x.dirs, x.sums = map[string]bool{}, map[string]bool{}, map[string]string{}
	packed := bufio.NewReader(x.in)
	zip, err := gzip.NewReader(packed)
	if err != nil {
		return broken(err)
	}
	// Other programs stop after the first gzip member, so further members would be content that is not checked.
	zip.Multistream(false)
	in := tar.NewReader(zip)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return broken(err)
		}
		if err := x.entry(h, in); err != nil {
			return err
		}
	}
	// Padding follows the end of the tar. Reading it verifies the checksum of the gzip stream.
	n, err := io.Copy(io.Discard, io.LimitReader(zip, maxTail+1))
	if err != nil {
		return broken(err)
	}
	if n > maxTail {
		return &Refused{"the archive continues after its end"}
	}
	return ended(packed)
}

// ended returns an error if something follows the gzip stream.
func ended(packed io.ByteReader) error {
	switch _, err := packed.ReadByte(); {
	case err == nil:
		return &Refused{"something follows the end of the archive: pack it as one gzip stream, as taproot report pack does"}
	case errors.Is(err, io.EOF):
		return nil
	default:
		return broken(err)
	}
}

// broken explains the error of a broken archive. It returns the errors of limits and of the reader unchanged.
func broken(err error) error {
	var large *TooLarge
	switch {
	case errors.As(err, &large):
		return large
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, os.ErrDeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Refused{"the archive is cut off"}
	case errors.Is(err, gzip.ErrHeader):
		return &Refused{"the archive is not gzip-compressed"}
	case errors.Is(err, gzip.ErrChecksum):
		return &Refused{"the archive is damaged: its checksum is wrong"}
	case errors.Is(err, tar.ErrHeader):
		return &Refused{"the archive contains no tar"}
	}
	return &Refused{"the archive cannot be read: " + err.Error()}
}

func (x *extractor) entry(h *tar.Header, in io.Reader) error {
	if h.Typeflag == tar.TypeXGlobalHeader { // a comment
		return x.counts(0)
	}
	name, err := x.name(h)
	if err != nil {
		return err
	}
	if err := x.counts(h.Size); err != nil {
		return err
	}
	if name == "." {
		return nil
	}
	if h.Typeflag == tar.TypeDir {
		return x.folder(name)
	}
	lower := strings.ToLower(name)
	if x.names[lower] {
		return &Refused{fmt.Sprintf("%q is in the archive twice (upper and lower case count as the same)", name)}
	}
	if x.dirs[lower] {
		return both(name)
	}
	x.names[lower] = true
	if dir := path.Dir(name); dir != "." {
		if err := x.folder(dir); err != nil {
			return err
		}
	}
	if x.root == nil {
		_, err := io.Copy(&meter{x: x, to: io.Discard, sum: sha256.New()}, in)
		return x.unread(err)
	}
	mode := fs.FileMode(0o644)
	if x.exec && h.Mode&0o100 != 0 {
		mode = 0o755
	}
	return x.file(name, h.Size, mode, in)
}

func (x *extractor) folder(name string) error {
	for at := strings.ToLower(name); at != "."; at = path.Dir(at) {
		if x.names[at] {
			return both(name)
		}
		x.dirs[at] = true
	}
	if x.root == nil {
		return nil
	}
	return x.refusal(name, x.root.MkdirAll(name, 0o755))
}

// name returns the path of an entry, with slashes, below the root.
func (x *extractor) name(h *tar.Header) (string, error) {
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeDir:
	case tar.TypeSymlink, tar.TypeLink:
		return "", &Refused{fmt.Sprintf("%.200q is a link, which an archive must not contain", h.Name)}
	default:
		return "", &Refused{fmt.Sprintf("%.200q is a device or another special file, which an archive must not contain",
			h.Name)}
	}
	bad := &Refused{fmt.Sprintf("%.200q cannot be the name of a file in an archive", h.Name)}
	if h.Name == "" || len(h.Name) > maxName || !utf8.ValidString(h.Name) || strings.HasPrefix(h.Name, "/") ||
		strings.ContainsFunc(h.Name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == ':' }) {
		return "", bad
	}
	name := path.Clean(h.Name)
	if name == "." && h.Typeflag == tar.TypeDir {
		return name, nil
	}
	if !fs.ValidPath(name) || name == "." || h.Typeflag == tar.TypeReg && strings.HasSuffix(h.Name, "/") {
		return "", bad
	}
	parts := strings.Split(h.Name, "/")
	for _, part := range parts {
		if part == ".." || len(part) > maxPart || strings.HasSuffix(part, " ") || strings.HasSuffix(part, ".") &&
			part != "." {
			return "", bad
		}
	}
	if strings.Count(name, "/") > x.limits.Depth {
		return "", &Refused{fmt.Sprintf("%.200q: folders are nested deeper than %d", name, x.limits.Depth)}
	}
	return name, nil
}

// counts adds an entry with the size in its header, and checks the limits.
func (x *extractor) counts(size int64) error {
	switch x.count++; {
	case x.count > x.limits.Files:
		return &TooLarge{fmt.Sprintf("the archive has more than %d files", x.limits.Files)}
	case size < 0:
		return &Refused{"a file has a negative size"}
	case size > x.limits.File:
		return &TooLarge{fmt.Sprintf("a file has more than %d bytes", x.limits.File)}
	case x.bytes+size > x.limits.Bytes:
		return &TooLarge{fmt.Sprintf("the files have more than %d bytes together", x.limits.Bytes)}
	}
	return nil
}

// file writes one file, and records its sum.
func (x *extractor) file(name string, size int64, mode fs.FileMode, in io.Reader) (err error) {
	if path.Base(name) == eventsFile && size > x.limits.Events {
		return &TooLarge{fmt.Sprintf("%s has more than %d bytes", eventsFile, x.limits.Events)}
	}
	f, err := x.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return x.refusal(name, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	if _, err = io.Copy(&meter{x: x, to: f, sum: sum}, in); err != nil {
		return x.unread(err)
	}
	x.sums[name] = fmt.Sprintf("%d:%s", size, hex.EncodeToString(sum.Sum(nil)))
	return nil
}

// unread explains why a file could not be read from the archive, or not be written.
func (x *extractor) unread(err error) error {
	var own *diskError
	var large *TooLarge
	var refused *Refused
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return fmt.Errorf("unpack an upload: %w", own.error)
	case errors.As(err, &large), errors.As(err, &refused):
		return err
	}
	return broken(err)
}

// diskError is a failure of this machine, not of the archive.
type diskError struct{ error }

// meter counts the unpacked bytes while they are written.
type meter struct {
	x   *extractor
	to  io.Writer
	sum hash.Hash
}

func (m *meter) Write(p []byte) (int, error) {
	x := m.x
	x.bytes += int64(len(p))
	if x.bytes > x.limits.Bytes {
		return 0, &TooLarge{fmt.Sprintf("the files have more than %d bytes together", x.limits.Bytes)}
	}
	if x.bytes > fairRatio && x.bytes/max(x.in.n, 1) > x.limits.Ratio {
		return 0, &Refused{fmt.Sprintf("the archive unpacks to more than %d times its size", x.limits.Ratio)}
	}
	m.sum.Write(p) // never fails
	n, err := m.to.Write(p)
	if err != nil {
		err = &diskError{err}
	}
	return n, err
}

// refusal distinguishes a name that conflicts with an earlier one from an error of the disk.
func (x *extractor) refusal(name string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) || isNotDir(err) {
		return both(name)
	}
	return fmt.Errorf("unpack an upload: %w", err)
}

func both(name string) error {
	return &Refused{fmt.Sprintf("%q is in the archive both as a file and as a folder, or twice", name)}
}

func isNotDir(err error) bool {
	return errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR)
}
