package reporters

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/reporters/internal/html"
)

// Unwritten says which files of a run could not be written: its report is incomplete.
type Unwritten struct {
	Files []string // their paths
	Err   error    // all errors
}

// unwritten is nil when the files could be written.
func unwritten(errs ...error) error {
	all := errors.Join(errs...)
	if all == nil {
		return nil
	}
	e := &Unwritten{Err: all}
	e.collect(all)
	slices.SortFunc(e.Files, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	return e
}

// rank is lower for the page that people open.
func rank(file string) int {
	if filepath.Base(file) == html.IndexFile {
		return 0
	}
	return 1
}

// collect collects the paths of files from an error and from the errors that it wraps.
func (e *Unwritten) collect(err error) {
	switch err := err.(type) {
	case *filetree.Error:
		if file := filepath.Join(err.Dir, filepath.FromSlash(err.Name)); !slices.Contains(e.Files, file) {
			e.Files = append(e.Files, file)
		}
	case interface{ Unwrap() []error }:
		for _, part := range err.Unwrap() {
			e.collect(part)
		}
	case interface{ Unwrap() error }:
		if part := err.Unwrap(); part != nil {
			e.collect(part)
		}
	}
}

// maxNamed is how many files a message names.
const maxNamed = 3

func (e *Unwritten) Error() string {
	if len(e.Files) == 0 {
		return fmt.Sprintf("the report is not complete: %v", e.Err)
	}
	var first *filetree.Error
	var reason error
	if errors.As(e.Err, &first) {
		reason = first.Err
	}
	var system syscall.Errno
	if errors.As(e.Err, &system) {
		reason = system
	}
	named := strings.Join(e.Files[:min(maxNamed, len(e.Files))], ", ")
	if more := len(e.Files) - maxNamed; more > 0 {
		named += " and " + phrase.Plural(more, "other file")
	}
	return fmt.Sprintf("the report is not complete, because %s could not be written: %v", named, reason)
}

func (e *Unwritten) Unwrap() error { return e.Err }

// unwrittenFile returns err as the reason why a file of a folder could not be written, unless err names files itself.
func unwrittenFile(dir, name string, err error) error {
	var named *filetree.Error
	if err == nil || errors.As(err, &named) {
		return err
	}
	return &filetree.Error{Dir: dir, Name: name, Err: err}
}
