package upload

import (
	"archive/tar"
	"context"
	"io"
	"os"
)

// Unpack lays the files of an archive down in a folder that is there and empty. The error is a *Refused, a *TooLarge,
// or one of this machine; then the folder holds a part of them.
func Unpack(ctx context.Context, dir string, archive io.Reader, limits Limits) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() // each file was closed by itself
	limits.defaults()
	x := &extractor{root: root, limits: limits, exec: true}
	return x.all(ctx, archive)
}

// Check reads an archive to its end, and gives the error that Unpack would give, without laying anything down.
func Check(ctx context.Context, archive io.Reader, limits Limits) error {
	limits.defaults()
	x := &extractor{limits: limits}
	return x.all(ctx, archive)
}

// Fits tells whether a file of an archive may have that path, which has slashes.
func Fits(name string, limits Limits) bool {
	limits.defaults()
	x := &extractor{limits: limits}
	_, err := x.name(&tar.Header{Typeflag: tar.TypeReg, Name: name})
	return err == nil
}
