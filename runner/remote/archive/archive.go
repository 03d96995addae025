// Package archive transfers what tests need to other machines. The code is in runner/internal/archive; this is what
// other folders need of it.
package archive

import (
	"context"
	"io"

	"github.com/taproot-dev/taproot/runner/internal/archive"
)

// IsSum reports whether a text has the form of an archive's name.
func IsSum(text string) bool {
	return archive.IsSum(text)
}

// Cache stores archives on a host, and the working folders of runs. Its folder must be used by one process only. Safe
// for concurrent use.
type Cache = archive.Cache

// RunsIn returns the folder of a cache that contains the folders of runs.
func RunsIn(dir string) string {
	return archive.RunsIn(dir)
}

// NewCache makes a cache in a folder and removes old runs there. fetch downloads an archive from the hub.
func NewCache(dir string, limit int64, fetch func(ctx context.Context, sum string) (io.ReadCloser, error)) (*Cache,
	error) {
	return archive.NewCache(dir, limit, fetch)
}

// Check reads an archive. It must have the sum, unless that is "", and contain nothing that a host would refuse. The
// error is an *upload.Refused, an *upload.TooLarge, or the reader's.
func Check(ctx context.Context, in io.Reader, sum string) error {
	return archive.Check(ctx, in, sum)
}

// Limits apply when an archive is made and when it is received.
var Limits = archive.Limits

// Options say what an archive contains.
type Options = archive.Options

// Make writes the archive of what cases need. The same files make the same bytes. Unless a step names them, it leaves
// out hidden files, node_modules, files with names of keys or passwords, unreadable files, and files with names that
// are not possible on every host. It leaves out symbolic links that lead out of the folders.
func Make(o Options, w io.Writer) (archive.Made, error) {
	return archive.Make(o, w)
}
