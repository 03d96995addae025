package pack

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
)

// Defect is a difference between a pack and its events or its manifest.
type Defect struct {
	File string // in the pack; empty: the pack itself
	Text string
}

func (d Defect) String() string {
	if d.File == "" {
		return d.Text
	}
	return d.File + ": " + d.Text
}

const (
	maxManifest = 16 << 20
	maxImage    = 64 << 20 // bytes of a PNG
	maxPixels   = 100 << 20
)

// Verify checks a pack that is complete: its events can be read, summary.json agrees with them, every named file
// exists, images can be decoded, and the files match the manifest.
func Verify(packDir string) []Defect { return verify(packDir, true) }

// VerifyFiles is Verify without decoding the images, which takes memory: for packs from untrusted sources.
func VerifyFiles(packDir string) []Defect { return verify(packDir, false) }

func verify(packDir string, images bool) []Defect {
	root, err := os.OpenRoot(packDir)
	if err != nil {
		return []Defect{{Text: err.Error()}}
	}
	defer root.Close() // nothing was written
	v := &verifier{root: root, decodes: images}
	v.pack(filepath.Base(packDir))
	return v.found
}

type verifier struct {
	root    *os.Root
	decodes bool // images, too
	found   []Defect
}

func (v *verifier) f(file, format string, args ...any) {
	v.found = append(v.found, Defect{File: file, Text: fmt.Sprintf(format, args...)})
}

func (v *verifier) pack(name string) {
	if !filetree.There(v.root, event.SummaryFile) {
		v.f(event.SummaryFile, "is missing: the pack is not complete; taproot report seal completes it when its run has died")
		return
	}
	if filetree.There(v.root, event.WorkDir) {
		v.f(event.WorkDir, "is left over: taproot report seal removes it")
	}
	for _, file := range []string{event.EventsFile, event.RunFile} {
		if info, err := v.root.Lstat(file); err != nil {
			v.f(file, "is missing")
		} else if !info.Mode().IsRegular() {
			v.f(file, "is not a regular file")
		}
	}
	sum, err := ReadSummaryFile(v.root)
	if err != nil {
		v.f("", "%v", err)
		return
	}
	if filetree.There(v.root, event.EventsFile) {
		v.summary(name, sum)
	}
	v.manifest()
	if v.decodes {
		v.images()
	}
}

// summary compares summary.json with the events. Its result may be worse than theirs, when the report could not be kept
// or read.
func (v *verifier) summary(name string, sum Summary) {
	res, err := FoldFile(v.root, event.Case{ID: name, Pack: name})
	if err != nil {
		v.f(event.EventsFile, "%v", err)
		return
	}
	want := Summarize(res)
	worse := want.Result.Good() && sum.Result == event.Error
	if sum.Result != want.Result && !worse {
		v.f(event.SummaryFile, "result is %q, by the events %q", sum.Result, want.Result)
	}
	if sum.ID != want.ID {
		v.f(event.SummaryFile, "id is %q, by the events %q", sum.ID, want.ID)
	}
	for _, n := range []struct {
		name      string
		got, want int64
	}{
		{"steps", int64(sum.Steps), int64(want.Steps)}, {"steps_passed", int64(sum.StepsPassed), int64(want.StepsPassed)},
		{"steps_failed", int64(sum.StepsFailed), int64(want.StepsFailed)}, {"screenshots", int64(sum.Screenshots),
			int64(want.Screenshots)},
		{"duration_ms", sum.DurationMS, want.DurationMS},
	} {
		if n.got != n.want {
			v.f(event.SummaryFile, "%s is %d, by the events %d", n.name, n.got, n.want)
		}
	}
	if !slices.Equal(sum.Artifacts, want.Artifacts) {
		v.f(event.SummaryFile, "artifacts are %q, by the events %q", sum.Artifacts, want.Artifacts)
	}
	for _, a := range res.Attachments {
		if info, err := v.root.Lstat(filepath.FromSlash(a.Path)); err != nil {
			v.f(a.Path, "is missing, but named in the events")
		} else if !info.Mode().IsRegular() {
			v.f(a.Path, "is not a regular file")
		}
	}
}

// manifest compares the files with their hashes. Packs of versions before the manifest have none.
func (v *verifier) manifest() {
	data, err := filetree.ReadCapped(v.root, manifestFile, maxManifest)
	if errors.Is(err, os.ErrNotExist) {
		v.f(manifestFile, "is missing: whether the files were changed cannot be checked")
		return
	}
	var m Manifest
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err == nil {
		err = format.Check(manifestFile, m.Format, format.Manifest)
	}
	if err != nil {
		v.f(manifestFile, "cannot be read: %v", err)
		return
	}
	for _, f := range m.Files {
		if !fs.ValidPath(f.Path) {
			v.f(manifestFile, "%q is outside of the pack", f.Path)
			continue
		}
		info, err := v.root.Lstat(filepath.FromSlash(f.Path))
		switch {
		case err != nil:
			v.f(f.Path, "is missing, but listed in the manifest")
		case !info.Mode().IsRegular():
			v.f(f.Path, "is not a regular file")
		case info.Size() != f.Size:
			v.f(f.Path, "has %d bytes, by the manifest %d", info.Size(), f.Size)
		default:
			if sum, err := hashFile(v.root, f.Path); err != nil {
				v.f(f.Path, "%v", err)
			} else if sum != f.SHA256 {
				v.f(f.Path, "was changed: its hash is %.12s…, by the manifest %.12s…", sum, f.SHA256)
			}
		}
	}
}

func (v *verifier) images() {
	err := walkFiles(v.root, func(name string, info fs.FileInfo) error {
		if !info.Mode().IsRegular() {
			v.f(name, "is not a regular file")
			return nil
		}
		if strings.HasPrefix(name, event.ScreenshotsDir+"/") && strings.HasSuffix(name, ".png") {
			if err := v.decode(name, info.Size()); err != nil {
				v.f(name, "cannot be decoded: %v", err)
			}
		}
		return nil
	})
	if err != nil {
		v.f("", "%v", err)
	}
}

func (v *verifier) decode(name string, size int64) (err error) {
	if size > maxImage {
		return fmt.Errorf("it has %d bytes", size)
	}
	f, err := v.root.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	conf, err := png.DecodeConfig(f)
	if err != nil {
		return err
	}
	if int64(conf.Width)*int64(conf.Height) > maxPixels {
		return fmt.Errorf("it has %d x %d pixels", conf.Width, conf.Height)
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	_, err = png.Decode(f)
	return err
}

// Packs lists the directories of a run's packs, sorted.
func Packs(runDir string) ([]string, error) {
	root, err := os.OpenRoot(runDir)
	if err != nil {
		return nil, fmt.Errorf("list packs: %w", err)
	}
	names, err := Folders(root, NamePattern.MatchString)
	var dirs []string
	for _, name := range names {
		if filetree.There(root, name+"/"+event.EventsFile) || filetree.There(root, name+"/"+event.SummaryFile) {
			dirs = append(dirs, filepath.Join(runDir, name))
		}
	}
	return dirs, errors.Join(err, root.Close())
}
