package shared

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// The tests of a project are one archive in the bucket. Its name has an increasing number; the highest one is current.
const (
	testsFolder  = "/tests/"
	numberFormat = "%012d"
	numberFile   = "tests.number" // next to the folder of tests: the number of its archive
)

func (p *Project) testsName(n int) string {
	return p.o.Name + testsFolder + fmt.Sprintf(numberFormat, n) + suffix
}

// newest returns the highest number among the names of the bucket, or 0 if there are no tests.
func (p *Project) newest(names []string) (newest int) {
	for _, name := range names {
		var n int
		text, ok := strings.CutSuffix(strings.TrimPrefix(name, p.o.Name+testsFolder), suffix)
		if _, err := fmt.Sscanf(text, numberFormat, &n); ok && err == nil && name == p.testsName(n) {
			newest = max(newest, n)
		}
	}
	return newest
}

// here returns the number of the tests in the folder, or 0 if they are older than the bucket, or do not exist.
func (p *Project) here() (n int, err error) {
	data, err := os.ReadFile(filepath.Join(filepath.Dir(p.o.Tests.Dir), numberFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err == nil {
		_, err = fmt.Sscan(string(data), &n)
	}
	return n, err
}

func (p *Project) setHere(n int) error {
	return filetree.WriteFile(filepath.Dir(p.o.Tests.Dir), numberFile, fmt.Appendln(nil, n))
}

// syncTests replaces the folder when the bucket has newer tests.
func (p *Project) syncTests(ctx context.Context, names []string) error {
	newest := p.newest(names)
	here, err := p.here()
	if err == nil && newest == 0 && here == 0 {
		return p.shareTests(ctx)
	}
	if err != nil || newest <= here {
		return err
	}
	in, err := p.o.Bucket.Get(ctx, p.testsName(newest))
	if errors.Is(err, blob.ErrNotFound) { // replaced meanwhile: the next synchronization finds the new ones
		return nil
	}
	if err != nil {
		return err
	}
	_, err = p.o.Tests.Replace(ctx, in, nil)
	if err = errors.Join(err, in.Close()); err != nil {
		return err
	}
	return p.setHere(newest)
}

// shareTests uploads tests that are older than the bucket.
func (p *Project) shareTests(ctx context.Context) (err error) {
	if entries, err := os.ReadDir(p.o.Tests.Dir); err != nil || len(entries) == 0 {
		return err
	}
	f, err := os.CreateTemp("", "taproot-tests-*"+suffix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if err := pack.ArchiveFolder(p.o.Tests.Dir, f); err != nil {
		return err
	}
	if err := p.o.Bucket.Put(ctx, p.testsName(1), f); err != nil {
		return err
	}
	return p.setHere(1)
}

// ReplaceTests replaces the project's tests by an archive, on every server. The error is that of upload.Folder, or of
// the bucket; then nothing has changed.
func (p *Project) ReplaceTests(ctx context.Context, archive io.Reader) (files int, err error) {
	f, err := os.CreateTemp("", "taproot-tests-*"+suffix)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	var number int
	var before []string
	// other goroutines wait only from here on, not during a slow upload
	files, err = p.o.Tests.Replace(ctx, io.TeeReader(archive, f), func() error {
		if err := p.take(ctx); err != nil {
			return err
		}
		number, before, err = p.putTests(ctx, f)
		if err != nil {
			p.release()
		}
		return err
	})
	if number == 0 {
		return 0, err
	}
	defer p.release()
	if err == nil {
		err = p.setHere(number)
	}
	for _, name := range before { // replaced by the new archive
		err = errors.Join(err, p.o.Bucket.Delete(ctx, name))
	}
	return files, err
}

// putTests uploads an archive, and returns its number and the archives that it replaces.
func (p *Project) putTests(ctx context.Context, f *os.File) (number int, before []string, err error) {
	if before, err = p.o.Bucket.List(ctx, p.o.Name+testsFolder); err != nil {
		return 0, nil, err
	}
	here, err := p.here()
	if err != nil {
		return 0, nil, err
	}
	number = max(p.newest(before), here) + 1
	if err := p.o.Bucket.Put(ctx, p.testsName(number), f); err != nil {
		return 0, nil, err
	}
	return number, before, nil
}

// UnavailableError means that the bucket cannot be reached, or refuses a request.
type UnavailableError struct{ error }

func (e *UnavailableError) Unwrap() error { return e.error }

// bucket marks the errors of a bucket, to distinguish them from those of this machine.
type bucket struct{ b blob.Bucket }

func unavailable(err error) error {
	if err == nil || errors.Is(err, blob.ErrNotFound) || errors.Is(err, context.Canceled) {
		return err
	}
	return &UnavailableError{err}
}

func (b bucket) Put(ctx context.Context, name string, f *os.File) error {
	return unavailable(b.b.Put(ctx, name, f))
}

func (b bucket) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := b.b.Get(ctx, name)
	return r, unavailable(err)
}

func (b bucket) List(ctx context.Context, prefix string) ([]string, error) {
	names, err := b.b.List(ctx, prefix)
	return names, unavailable(err)
}

func (b bucket) Delete(ctx context.Context, name string) error {
	return unavailable(b.b.Delete(ctx, name))
}
