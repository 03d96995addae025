package dispatch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/remote/archive"
	"github.com/taproot-dev/taproot/runner/remote/order"
)

// archives stores archives of tests in the bucket, with a local folder as a cache. Safe for concurrent use.
type archives struct {
	bucket blob.Bucket
	rows   *queue.Archives
	dir    string

	mu   sync.Mutex
	used map[string]time.Time // last use, by the name in the cache folder
}

// archiveFolder is the folder of archives in the bucket.
const archiveFolder = "farm-tests/"

// has reports whether a project's archive exists. It then stays for long enough to start a run with it.
func (a *archives) has(ctx context.Context, project, sum string) (bool, error) {
	name, err := a.rows.Use(ctx, project, sum)
	if errors.Is(err, queue.ErrNoArchive) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r, err := a.bucket.Get(ctx, name)
	if errors.Is(err, blob.ErrNotFound) { // removed from the bucket by other means
		return false, a.rows.Drop(ctx, name)
	}
	if err != nil {
		return false, err
	}
	return true, r.Close()
}

// put stores an archive if its content has the given sum and a host would accept it.
func (a *archives) put(ctx context.Context, project, sum string, in io.Reader) (err error) {
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(a.dir, ".part-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	n, err := io.Copy(f, io.LimitReader(in, archive.Limits.Archive+1))
	if err != nil {
		return err
	}
	if n > archive.Limits.Archive {
		return &upload.TooLarge{Why: fmt.Sprintf("the archive has more than %d bytes", archive.Limits.Archive)}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := archive.Check(ctx, f, sum); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	name := archiveFolder + project + "/" + sum + "-" + strings.ToLower(rand.Text()) + ".tar.gz"
	if err := a.rows.Add(ctx, project, sum, name); err != nil {
		return err
	}
	if err := a.bucket.Put(ctx, name, f); err != nil {
		return err
	}
	return a.rows.Ready(ctx, name)
}

// part returns a part of an archive.
func (a *archives) part(ctx context.Context, project, sum string, from int64) (b order.Bytes, err error) {
	if !archive.IsSum(sum) {
		return b, errors.New("the name is not one of an archive")
	}
	f, err := a.open(ctx, project, sum)
	if err != nil {
		return b, err
	}
	defer f.Close() // opened for reading only
	b.Bytes = make([]byte, order.PartSize)
	n, err := f.ReadAt(b.Bytes, from)
	if b.Bytes = b.Bytes[:n]; errors.Is(err, io.EOF) {
		err = nil
	}
	return b, err
}

// open opens an archive, which is downloaded from the bucket once.
func (a *archives) open(ctx context.Context, project, sum string) (*os.File, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	name := project + "-" + sum
	file := filepath.Join(a.dir, name)
	a.used[name] = time.Now()
	if f, err := os.Open(file); err == nil {
		return f, nil
	}
	if err := a.bring(ctx, project, sum, file); err != nil {
		return nil, err
	}
	return os.Open(file)
}

// bring downloads an archive from the bucket. The caller holds the lock.
func (a *archives) bring(ctx context.Context, project, sum, file string) (err error) {
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	name, err := a.rows.File(ctx, project, sum)
	if err != nil {
		return err
	}
	in, err := a.bucket.Get(ctx, name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(a.dir, ".part-*")
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(f, in)
	if err = errors.Join(err, in.Close(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
