package upload

import (
	"archive/tar"
	"context"
	"io"
	"os"
)

// Unpack extracts an archive into an existing, empty folder. The error is a *Refused, a *TooLarge, or one of this
// machine; then the folder contains a part of the files.
func Unpack(ctx context.Context, dir string, archive io.Reader, limits Limits) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() // each file is closed when it was written
	limits.defaults()
	x := &extractor{root: root, limits: limits, exec: true}
	return x.all(ctx, archive)
}

// Check reads an archive to its end, and returns the error that Unpack would return, without extracting anything.
func Check(ctx context.Context, archive io.Reader, limits Limits) error {
	limits.defaults()
	x := &extractor{limits: limits}
	return x.all(ctx, archive)
}

// Fits reports whether a file of an archive may have a path, which must use slashes.
func Fits(name string, limits Limits) bool {
	limits.defaults()
	x := &extractor{limits: limits}
	_, err := x.name(&tar.Header{Typeflag: tar.TypeReg, Name: name})
	return err == nil
}
