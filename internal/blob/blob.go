// Package blob stores files that several servers share, in a shared folder or in an S3-compatible bucket.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Bucket stores files under names such as "projects/p1/reports/run.tar.gz". Safe for concurrent use, also by several
// processes.
type Bucket interface {
	// Put atomically stores a file. It replaces a file with the same name.
	Put(ctx context.Context, name string, file *os.File) error
	// Get returns the file that was last stored. The caller closes it. A read error before io.EOF means that a part is
	// missing. It returns ErrNotFound when the file does not exist.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// List returns the names that start with a prefix, sorted. The prefix must end in a slash.
	List(ctx context.Context, prefix string) ([]string, error)
	// Delete removes a file. It returns nil when the file does not exist.
	Delete(ctx context.Context, name string) error
}

// ErrNotFound means that no file has that name.
var ErrNotFound = errors.New("there is no such file in the bucket")

// Open opens the bucket at an address: s3://BUCKET[/FOLDER][?region=…&endpoint=https://…], or the path of an existing
// folder. getenv reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL.
func Open(address string, getenv func(string) string) (Bucket, error) {
	if strings.HasPrefix(address, "s3://") {
		return openS3(address, getenv)
	}
	if strings.Contains(address, "://") {
		return nil, errors.New("the address of a bucket starts with s3://, or is the path of a folder")
	}
	switch info, err := os.Stat(address); {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s is not a folder: create it first", address)
	case err != nil || !info.IsDir():
		return nil, errors.Join(fmt.Errorf("%s is not a folder", address), err)
	}
	return &folder{filepath.Clean(address)}, nil
}

var goodPart = lazyregexp.New(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$`)

// check refuses names with a special meaning for a disk, a URL or a signature.
func check(name string) error {
	for part := range strings.SplitSeq(name, "/") {
		if !goodPart.MatchString(part) {
			return fmt.Errorf("%q cannot be the name of a file in a bucket", name)
		}
	}
	return nil
}

func checkPrefix(prefix string) error {
	if !strings.HasSuffix(prefix, "/") {
		return fmt.Errorf("the prefix %q does not end in a slash", prefix)
	}
	return check(path.Clean(prefix))
}
