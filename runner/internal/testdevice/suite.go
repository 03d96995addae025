package testdevice

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// Suite is the run that the tests of a process share.
type Suite struct {
	Config run.Config
	Runner *run.Runner
}

// Test is the name and the place of a test in Go.
type Test struct {
	ID, Name string
	At       Place
	Labels   []string
}

// Case returns a test in Go as a case, without its pack, and the values that its report must not show.
func (s Suite) Case(of Test, options []Option) (c plan.Case, hide []string) {
	pos, src := s.source(of.At)
	c = plan.Case{Platform: dsl.Android, Dir: filepath.Dir(of.At.File), Labels: of.Labels,
		Test: &dsl.Test{ID: of.ID, Name: of.Name, Tags: of.Labels, Pos: pos, IDPos: pos, Source: src}}
	if s.Config.Platform != "" {
		c.Platform = s.Config.Platform
	}
	for _, o := range options {
		o.apply(&c, &hide)
	}
	c.Test.Platform = c.Platform
	return c, hide
}

// source returns a place in Go code for messages, and the file.
func (s Suite) source(at Place) (source.Pos, *source.Source) {
	pos := source.Pos{File: filepath.ToSlash(at.File), Line: at.Line, Col: 1}
	if rel, err := filepath.Rel(s.Config.Dir, at.File); err == nil && filepath.IsLocal(rel) {
		pos.File = filepath.ToSlash(rel)
	}
	src := &source.Source{File: pos.File}
	if text, err := os.ReadFile(at.File); err == nil { // without the file, messages show no line
		// so that a caret is under its character
		src.Lines = strings.Split(strings.ReplaceAll(string(text), "\t", " "), "\n")
		if line := src.Line(pos.Line); line != "" {
			pos.Col = 1 + len(line) - len(strings.TrimLeft(line, " "))
		}
	}
	return pos, src
}

func firstLine(text string) string { return phrase.FirstLine(strings.TrimSpace(text)) }

// SpecID makes an id from the text of a spec; of a long or foreign text only a part can be kept, and a checksum
// replaces the rest.
func SpecID(text string) string {
	id := pack.Slug(text)
	plain := strings.Join(strings.Fields(strings.ToLower(text)), "-")
	switch {
	case id == "":
		return fmt.Sprintf("spec-%08x", crc32.ChecksumIEEE([]byte(text)))
	case len(plain) > len(id):
		return fmt.Sprintf("%s-%04x", id, crc32.ChecksumIEEE([]byte(text))&0xffff)
	}
	return id
}
