package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// FramesFile is where a report pack keeps its frames.
const FramesFile = "artifacts/frames.ndjson"

// Unusable says that a file of a report pack is missing, damaged or of another format.
type Unusable struct {
	File string // in the pack, with slashes
	Why  string
}

func (e *Unusable) Error() string { return e.File + ": " + e.Why }

// Report is a report pack that can be asked again.
type Report struct {
	Dir      string
	Pack     string // its folder
	Result   *event.CaseResult
	Searches []decide.Recorded // in the order of the steps

	root    *os.Root
	byStep  map[int][]int  // the numbers of the searches of a step
	files   map[int]string // the file of the frames of a step
	present bool
	pages   map[string]*document // snapshots of pages, by their files; nil: cannot be read
}

// Open reads a report pack. The error is an *Unusable if a file of it is. Close it after use.
func Open(dir string) (*Report, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the report: %w", err)
	}
	r := &Report{Dir: dir, Pack: filepath.Base(dir), root: root, byStep: map[int][]int{}, files: map[int]string{},
		pages: map[string]*document{}}
	if err := r.read(); err != nil {
		root.Close()
		return nil, err
	}
	return r, nil
}

// Close releases the report's folder.
func (r *Report) Close() error { return r.root.Close() }

func (r *Report) read() error {
	f, err := r.open(event.EventsFile)
	if err != nil {
		return &Unusable{event.EventsFile, reason(err)}
	}
	events, err := event.ReadEvents(f)
	f.Close()
	if err != nil {
		return &Unusable{event.EventsFile, err.Error()}
	}
	r.Result = event.Fold(events)
	listed := map[string]bool{}
	for _, a := range r.Result.Attachments {
		listed[a.Path] = true
	}
	for _, name := range framesFiles(r.Result.Case) {
		if err := r.readFrames(name, listed[name]); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.Searches, func(a, b decide.Recorded) int { return cmp.Compare(a.Step, b.Step) })
	for i, s := range r.Searches {
		r.byStep[s.Step] = append(r.byStep[s.Step], i)
	}
	return nil
}

// framesFiles are the files of the frames of a case: one for each of its devices.
func framesFiles(c event.Case) []string {
	list := []string{FramesFile}
	ext := path.Ext(FramesFile)
	for i, d := range c.Devices {
		if i > 0 {
			list = append(list, strings.TrimSuffix(FramesFile, ext)+"-"+d.Name+ext)
		}
	}
	return list
}

// readFrames reads a file of frames. listed says that the events list it.
func (r *Report) readFrames(name string, listed bool) error {
	frames, err := r.open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !listed:
		return nil
	case err != nil:
		return &Unusable{name, reason(err)}
	}
	defer frames.Close()
	r.present = true
	searches, err := decide.Read(bufio.NewReaderSize(frames, 64<<10))
	if err != nil {
		return &Unusable{name, err.Error()}
	}
	if len(searches) == 0 && listed {
		return &Unusable{name, "it is empty"}
	}
	for _, s := range searches {
		r.files[s.Step] = name
	}
	r.Searches = append(r.Searches, searches...)
	return nil
}

// platformOf is the platform of a step's device.
func (r *Report) platformOf(s *event.StepResult) dsl.Platform {
	if d := r.Result.Case.NamedDevice(s.Device); d != nil {
		return dsl.Platform(d.Platform)
	}
	return dsl.Platform(r.Result.Case.Platform)
}

// maxFile is how many bytes a file of a report may have, which is read as a whole.
const maxFile = 1 << 30

// open opens a file of the report. Links, which may lead elsewhere, and pipes, which may never end, are refused.
func (r *Report) open(name string) (*os.File, error) {
	info, err := r.root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("it has %d bytes, and at most %d are read", info.Size(), maxFile)
	}
	return r.root.Open(name)
}

// reason is why a file cannot be read, without its path.
func reason(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "it is missing"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// of returns the searches of a step.
func (r *Report) of(step int) []*decide.Recorded {
	var list []*decide.Recorded
	for _, i := range r.byStep[step] {
		list = append(list, &r.Searches[i])
	}
	return list
}

// argsOf is the argument of a step as the report has it, with its variables filled in; ok is false when it cannot be
// read again, as that of a flow of Maestro.
func argsOf(s *event.StepResult, platform dsl.Platform) (args any, ok bool) {
	if _, known := dsl.Lookup(s.Action); !known {
		return nil, false
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "steps:\n  - %s: %s\n", s.Action, s.Args)
	return parsedStep(b.Bytes(), platform)
}

func parsedStep(text []byte, platform dsl.Platform) (any, bool) {
	block, err := dsl.ParseBlock("step", text, platform)
	if err != nil || len(block.Steps) != 1 {
		return nil, false
	}
	args, _, err := dsl.Bind(block.Steps[0], &dsl.Scope{})
	return args, err == nil
}
