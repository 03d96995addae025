package archive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/upload"
)

var sumPattern = lazyregexp.New(`^[0-9a-f]{64}$`)

// IsSum reports whether a text has the form of an archive's name.
func IsSum(text string) bool { return sumPattern.MatchString(text) }

// Cache stores archives on a host, and the working folders of runs. Its folder must be used by one process only. Safe
// for concurrent use.
type Cache struct {
	dir   string
	limit int64 // maximum disk usage of archives and folders together, except what runs need
	fetch func(ctx context.Context, sum string) (io.ReadCloser, error)

	making singleflight.Group
	mu     sync.Mutex
	runs   map[string]*folder
	wait   map[string]int   // cases that wait for the folder of a key and have not taken it yet
	sizes  map[string]int64 // of archives, by their sum
	used   map[string]time.Time
}

// folder is an archive that was extracted for a run.
type folder struct {
	dir   string
	sum   string
	users int
	bytes int64
	used  time.Time
}

const (
	archives = "archives"
	runs     = "runs"
)

// RunsIn returns the folder of a cache that contains the folders of runs.
func RunsIn(dir string) string { return filepath.Join(dir, runs) }

// NewCache makes a cache in a folder and removes old runs there. fetch downloads an archive from the hub.
func NewCache(dir string, limit int64, fetch func(ctx context.Context, sum string) (io.ReadCloser, error)) (*Cache,
	error) {
	c := &Cache{dir: dir, limit: limit, fetch: fetch, runs: map[string]*folder{}, wait: map[string]int{},
		sizes: map[string]int64{}, used: map[string]time.Time{}}
	if err := os.RemoveAll(filepath.Join(dir, runs)); err != nil {
		return nil, fmt.Errorf("clean up the archives: %w", err)
	}
	for _, sub := range []string{archives, runs} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("keep archives: %w", err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, archives))
	if err != nil {
		return nil, fmt.Errorf("keep archives: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !IsSum(e.Name()) { // an incomplete archive of a process that died
			if err := os.RemoveAll(filepath.Join(dir, archives, e.Name())); err != nil {
				return nil, fmt.Errorf("clean up the archives: %w", err)
			}
			continue
		}
		c.sizes[e.Name()], c.used[e.Name()] = info.Size(), info.ModTime()
	}
	return c, nil
}

// Open returns the folder of a run with the extracted archive. The archive's sum is verified. All cases of a run on
// this host share the folder, as they do on one machine; other runs do not see it. release must be called when the case
// has ended. The error is an *upload.Refused or *upload.TooLarge when the archive is hostile or broken.
func (c *Cache) Open(ctx context.Context, run, sum string) (dir string, release func(), err error) {
	if !IsSum(sum) {
		return "", nil, fmt.Errorf("%.80q is not the name of an archive", sum)
	}
	key := run + "/" + sum
	c.expect(key, 1)
	defer c.expect(key, -1)
	for {
		if f := c.take(key); f != nil {
			return f.dir, sync.OnceFunc(func() { c.release(f) }), nil
		}
		// Other cases wait for the extraction, so it must not end with the case that started it.
		done := c.making.DoChan(key, func() (any, error) { return nil, c.lay(context.WithoutCancel(ctx), key, sum) })
		select {
		case r := <-done:
			if r.Err != nil {
				return "", nil, r.Err
			}
		case <-ctx.Done():
			return "", nil, context.Cause(ctx)
		}
	}
}

// expect counts the cases that wait for a folder, so that it is not removed between its extraction and its first use.
func (c *Cache) expect(key string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wait[key] += n; c.wait[key] == 0 {
		delete(c.wait, key)
	}
}

func (c *Cache) take(key string) *folder {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.runs[key]
	if f != nil {
		f.users++
	}
	return f
}

func (c *Cache) release(f *folder) {
	c.mu.Lock()
	f.users--
	f.used = time.Now()
	c.mu.Unlock()
	c.tidy()
}

// lay extracts the archive into a new folder for a run.
func (c *Cache) lay(ctx context.Context, key, sum string) error {
	file := filepath.Join(c.dir, archives, sum)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := c.get(ctx, sum, file); err != nil {
			return fmt.Errorf("download the archive of the tests: %w", err)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() // opened for reading only
	dir, err := os.MkdirTemp(filepath.Join(c.dir, runs), "run-")
	if err != nil {
		return err
	}
	err = upload.Unpack(ctx, dir, f, Limits)
	if err == nil { // marks the root: paths of tests may lead up to it, and no further
		err = os.Mkdir(filepath.Join(dir, ".git"), 0o700)
		if errors.Is(err, fs.ErrExist) {
			err = &upload.Refused{Why: "the archive contains .git, which does not belong to tests"}
		}
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.runs[key] = &folder{dir: dir, sum: sum, bytes: bytesOf(dir), used: time.Now()}
	c.sizes[sum], c.used[sum] = info.Size(), time.Now()
	c.mu.Unlock()
	return nil
}

// get downloads an archive. It is stored only if its sum is right.
func (c *Cache) get(ctx context.Context, sum, file string) (err error) {
	in, err := c.fetch(ctx, sum)
	if err != nil {
		return err
	}
	defer in.Close() // errors were returned while reading
	f, err := os.CreateTemp(filepath.Dir(file), ".part-*")
	if err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), io.LimitReader(in, Limits.Archive+1))
	switch {
	case err != nil:
	case n > Limits.Archive:
		err = &upload.TooLarge{Why: fmt.Sprintf("the archive has more than %d bytes", Limits.Archive)}
	case hex.EncodeToString(h.Sum(nil)) != sum:
		err = &upload.Refused{Why: "the archive is not the requested one: its SHA-256 differs"}
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// tidy removes what was unused for longest, until the rest fits. What runs use stays.
func (c *Cache) tidy() { c.shrink(c.limit) }

// Clear removes everything that no case uses now, for a full disk.
func (c *Cache) Clear() { c.shrink(0) }

func (c *Cache) shrink(limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var total int64
	needed := map[string]bool{}
	type idle struct {
		at     time.Time
		bytes  int64
		remove func() error
	}
	var list []idle
	for key, f := range c.runs {
		total += f.bytes
		if f.users > 0 || c.wait[key] > 0 {
			needed[f.sum] = true
			continue
		}
		list = append(list, idle{f.used, f.bytes, func() error { delete(c.runs, key); return os.RemoveAll(f.dir) }})
	}
	for sum, n := range c.sizes {
		total += n
		if !needed[sum] {
			list = append(list, idle{c.used[sum], n, func() error {
				delete(c.sizes, sum)
				return os.Remove(filepath.Join(c.dir, archives, sum))
			}})
		}
	}
	slices.SortFunc(list, func(a, b idle) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	for _, x := range list {
		if total <= limit {
			return
		}
		if x.remove() == nil {
			total -= x.bytes
		}
	}
}

// Bytes returns the disk usage of the cache.
func (c *Cache) Bytes() (n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.runs {
		n += f.bytes
	}
	for _, size := range c.sizes {
		n += size
	}
	return n
}

// block is the minimum disk usage of a file or folder in bytes. Tests are many small files.
const block = 4096

func bytesOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // a file that cannot be counted is ignored
		}
		if n += block; d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += max(info.Size()-1, 0) / block * block
			}
		}
		return nil
	})
	return n
}
