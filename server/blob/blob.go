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

// Bucket keeps files under names such as "projects/p1/reports/run.tar.gz". Safe for concurrent use, also by several
// processes.
type Bucket interface {
	// Put keeps the whole of a file, or nothing of it. What has the name already is replaced.
	Put(ctx context.Context, name string, file *os.File) error
	// Get gives what was put last. The caller closes it; an error of it, before io.EOF, means that a part is missing.
	// ErrNotFound: there is nothing.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// List gives the names that begin with a prefix, which ends in a slash, in order.
	List(ctx context.Context, prefix string) ([]string, error)
	// Delete removes a file. That it is gone already is no error.
	Delete(ctx context.Context, name string) error
}

// ErrNotFound means that there is no file of a name.
var ErrNotFound = errors.New("there is no such file in the bucket")

// Open makes the bucket of an address: s3://BUCKET[/FOLDER][?region=…&endpoint=https://…], or the path of a folder,
// which must be there. Getenv reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and
// AWS_ENDPOINT_URL.
func Open(address string, getenv func(string) string) (Bucket, error) {
	if strings.HasPrefix(address, "s3://") {
		return openS3(address, getenv)
	}
	if strings.Contains(address, "://") {
		return nil, errors.New("the address of a bucket begins with s3://, or is the path of a folder")
	}
	switch info, err := os.Stat(address); {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s is no folder: make it first", address)
	case err != nil || !info.IsDir():
		return nil, errors.Join(fmt.Errorf("%s is no folder", address), err)
	}
	return &folder{filepath.Clean(address)}, nil
}

var goodPart = lazyregexp.New(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$`)

// check refuses names that could mean something else to a disk, a URL or a signature.
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
