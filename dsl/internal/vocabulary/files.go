package vocabulary

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// FileRef is a file that a step names: a page, an image, something to upload or install.
type FileRef struct {
	Path string // as the test has it, relative to the test's folder; slashes
	Pos  source.Pos

	width  int
	source *source.Source
}

// Error says that the file is not there. near is one that may be meant, as the test would name it, or "".
func (r FileRef) Error(near string) *source.Error {
	hint := "paths are relative to the test's folder"
	if near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return &source.Error{Pos: r.Pos, Source: r.source, Width: r.width, Msg: fmt.Sprintf("there is no file %q",
		phrase.LimitRunes(r.Path, 60)), Hint: hint}
}

// Files returns the files that the steps of a linked test need before it starts. A name that hangs on a
// variable is none of them, nor is one that the test itself may write.
func (t *Test) Files() []FileRef {
	var all []FileRef
	written := map[string]bool{}
	for _, steps := range []Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		steps.files(&all, written)
	}
	return slices.DeleteFunc(all, func(r FileRef) bool { return written[r.Path] })
}

func (s Steps) files(all *[]FileRef, written map[string]bool) {
	for step := range s.All {
		sh := ShapeOf(reflect.TypeOf(step.Def.Args))
		if step.Args.Kind != source.Map && sh.Scalar >= 0 {
			sh.Fields[sh.Scalar].files(step, step.Args, all)
		}
		filesIn(step, sh, step.Args, all)
		if f, given := step.Args.Get("save"); given && f.Value.Kind == source.String {
			written[cleaned(f.Value.Text)] = true
		}
		if step.Block != nil {
			step.Block.Steps.files(all, written)
		}
	}
}

// filesIn looks into a map of arguments, and into the selectors in it.
func filesIn(step *Step, sh *Shape, v source.Value, all *[]FileRef) {
	for _, f := range v.Fields {
		i, known := sh.ByKey[f.Key]
		if !known {
			continue
		}
		own := sh.Fields[i]
		own.files(step, f.Value, all)
		typ := own.Typ
		if typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ == valueType || typ == ExprType {
			continue
		}
		for _, inner := range append(f.Value.Items, f.Value) {
			if inner.Kind == source.Map {
				filesIn(step, ShapeOf(typ), inner, all)
			}
		}
	}
}

func (f Key) files(step *Step, v source.Value, all *[]FileRef) {
	if f.Format != "file" && f.Format != "pageOrBase" {
		return
	}
	for _, x := range append(v.Items, v) {
		if x.Kind != source.String || strings.Contains(x.Text, "${") || filepath.IsAbs(x.Text) ||
			strings.HasPrefix(x.Text, "/") {
			continue
		}
		name := x.Text
		if f.Format == "pageOrBase" { // an address's address
			if !LocalPage(name) {
				continue
			}
			name, _, _ = strings.Cut(name, "#")
			name, _, _ = strings.Cut(name, "?")
		}
		*all = append(*all, FileRef{Path: cleaned(name), Pos: x.Pos, width: len([]rune(x.Text)), source: step.File})
	}
}

func cleaned(name string) string { return filepath.ToSlash(filepath.Clean(filepath.FromSlash(name))) }

// NoFile is the error of a reader of files when there is none of that name.
type NoFile struct {
	Near string // what may be meant, as the file that names it would write it; may be empty
}

func (e *NoFile) Error() string { return "there is no such file" }

// Is makes it an fs.ErrNotExist.
func (e *NoFile) Is(target error) bool { return target == fs.ErrNotExist }

// Meant is the hint on a file that cannot be read.
func Meant(err error, otherwise string) string {
	var none *NoFile
	if errors.As(err, &none) && none.Near != "" {
		return fmt.Sprintf("did you mean %q?", none.Near)
	}
	return otherwise
}
