// Package pack writes the report pack of one case. Events and screenshots go in as they happen; the folder that comes
// out survives a kill at any moment and can be verified, archived and uploaded.
package pack

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/video"
)

// PackOptions are what a pack needs from outside. The zero value works.
type PackOptions struct {
	FFmpeg  string // path; empty: no recording can be made
	NoVideo bool   // no recording is made, from neither clips nor screenshots
	// FailedVideo and FailedScreenshots drop the recording and the screenshots of a case that passes.
	FailedVideo, FailedScreenshots bool

	Clock func() time.Time // default: time.Now
	// called with each event after it was kept, in order, one at a time; must not call the pack
	Observe func(event.Case, event.Event)
}

// Pack is the folder of one case: a Sink while the case runs, a report pack after Finish.
type Pack struct {
	c    event.Case
	o    PackOptions
	dir  string
	root *os.Root
	file *os.File

	mask event.Mask
	slot chan struct{} // holds a token while a screenshot is being written

	mu       sync.Mutex
	log      event.Log
	broken   error                // the first reason why the report cannot be kept
	events   []event.Event        // as they were read last
	names    map[string]bool      // taken ones, lower case
	recorded                      // of the device of the case, or of the first one
	others   map[string]*recorded // of the other devices of the case, by their names
	closed   bool                 // by Finish
	once     sync.Once
	res      *event.CaseResult
	err      error // of Finish
}

// recorded is the recording of one device.
type recorded struct {
	device         string // its name, unless it is the first one
	clips          []video.Clip
	requestedClips []requestedClip
	noRecording    string
}

var (
	_           event.Sink = (*Pack)(nil)
	errFinished            = errors.New("the pack is finished")
)

// NewPack makes the folder of a case. Call Finish in the end.
func (d *RunDir) NewPack(c event.Case, o PackOptions) (*Pack, error) {
	if !IsPackName(c.Pack) {
		return nil, fmt.Errorf("make pack: %q cannot be the name of a folder", c.Pack)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	dir := filepath.Join(d.path, c.Pack)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make pack: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("make pack: %w", err)
	}
	p := &Pack{c: c, o: o, dir: dir, root: root, slot: make(chan struct{}, 1), names: map[string]bool{
		event.EventsFile: true, event.SummaryFile: true, event.RunFile: true, event.RecordingFile: true,
		event.ScreenshotsDir: true, event.ArtifactsDir: true,
		manifestFile: true, event.PageFile: true,
	}}
	if err := p.lay(); err != nil {
		return nil, fmt.Errorf("make pack: %w", errors.Join(err, root.Close()))
	}
	return p, nil
}

func (p *Pack) lay() error {
	for _, dir := range []string{event.ScreenshotsDir, event.ArtifactsDir, event.WorkDir} {
		if err := p.root.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	f, err := p.root.OpenFile(event.EventsFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	p.file, p.log.File = f, f
	return filetree.SyncDir(p.root, ".")
}

// Mask holds the secrets that must not appear in the pack. Secrets can be added at any time.
func (p *Pack) Mask() *event.Mask { return &p.mask }

// Dir is the absolute path of the pack.
func (p *Pack) Dir() string { return p.dir }

// Emit keeps an event. A case that passed becomes an error if its screenshots could not be kept.
func (p *Pack) Emit(e event.Event) error {
	if e.Kind == event.CaseEnded {
		p.awaitScreenshot()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("keep event %s: %w", e.Kind, errFinished)
	}
	if e.Kind == event.CaseEnded && (e.Result == event.Pass || e.Result == event.Expected) && p.broken != nil {
		e.Result, e.Problem = event.Error, reportProblem(p.broken)
	}
	return p.keep(e)
}

// keep needs p.mu.
func (p *Pack) keep(e event.Event) error {
	if e.Time.IsZero() {
		e.Time = p.o.Clock()
	}
	e.Time = e.Time.UTC()
	e, err := p.mask.Event(e)
	if err != nil {
		p.breaks(err)
		return err
	}
	if err := p.log.Add(e); err != nil {
		p.breaks(err)
		return err
	}
	if p.o.Observe != nil {
		p.o.Observe(p.c, e)
	}
	return p.broken
}

// breaks needs p.mu.
func (p *Pack) breaks(err error) {
	if p.broken == nil {
		p.broken = err
	}
}

func reportProblem(err error) *event.Problem {
	return &event.Problem{Message: "the report could not be kept: " + err.Error()}
}

// Add moves a regular file into the pack. A number is added to a name that is taken; a name outside the pack is an
// error.
func (p *Pack) Add(a event.Attachment, step int, from string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("add %s: %w", a.Path, errFinished)
	}
	if err := filetree.Regular(from); err != nil {
		return fmt.Errorf("add %s: %w", a.Path, err)
	}
	name, err := p.place(a.Path)
	if err != nil {
		return err
	}
	if err := moveIntoPack(p.root, from, name); err != nil {
		err = fmt.Errorf("add %s: %w", a.Path, err)
		p.breaks(err)
		return err
	}
	a.Path = name
	if a.Type == "" {
		a.Type = mediaType(name)
	}
	return p.keep(event.Event{Kind: event.Attached, Step: step, Attachment: &a})
}

// place checks the name of an attachment and reserves it. It needs p.mu.
func (p *Pack) place(name string) (string, error) {
	clean := path.Clean(name)
	if clean != name || !filepath.IsLocal(name) || strings.ContainsAny(name, `\:`) || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("add %q: not a name in the pack", name)
	}
	if dir := path.Dir(name); dir != "." {
		if err := p.root.MkdirAll(dir, 0o755); err != nil {
			return "", fmt.Errorf("add %s: %w", name, err)
		}
	}
	return p.free(name), nil
}

// free returns name, or name with a number before its extension, and reserves it. It needs p.mu.
func (p *Pack) free(name string) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 2; p.names[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d%s", stem, n, ext)
	}
	p.names[strings.ToLower(name)] = true
	return name
}

// AddClip adds a clip of the case's recording, a file under Dir()/.work in any format that ffmpeg reads, and the time
// at which it started.
func (p *Pack) AddClip(path string, start time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clips = append(p.clips, video.Clip{Path: path, Start: start})
}

// AddClipOf is AddClip for one of several devices of the case.
func (p *Pack) AddClipOf(device, path string, start time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.of(device)
	r.clips = append(r.clips, video.Clip{Path: path, Start: start})
}

// RequestClipOf is RequestClip for one of several devices of the case.
func (p *Pack) RequestClipOf(device, name string, from, to time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.of(device)
	r.requestedClips = append(r.requestedClips, requestedClip{name: name, from: from, to: to})
}

// NoRecordingOf is NoRecording for one of several devices of the case.
func (p *Pack) NoRecordingOf(device, reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of(device).noRecording = reason
}

// of returns the recording of a device. It needs p.mu.
func (p *Pack) of(device string) *recorded {
	if p.others == nil {
		p.others = map[string]*recorded{}
	}
	if p.others[device] == nil {
		p.others[device] = &recorded{device: device}
	}
	return p.others[device]
}

// requestedClip is a part of the case's recording that a test requested as a file.
type requestedClip struct {
	name     string
	from, to time.Time
	failed   error // why it was not made
}

// RequestClip requests a part of the case's recording as a file of its own, artifacts/NAME.mp4.
func (p *Pack) RequestClip(name string, from, to time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requestedClips = append(p.requestedClips, requestedClip{name: name, from: from, to: to})
}

// NoRecording reports why there is no recording of the case.
func (p *Pack) NoRecording(reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noRecording = reason
}

func mediaType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".mp4":
		return "video/mp4"
	case ".webm":
		return "video/webm"
	case ".json", ".har":
		return "application/json"
	case ".ndjson":
		return "application/x-ndjson"
	case ".txt", ".log":
		return "text/plain"
	case ".html":
		return "text/html"
	case ".xml":
		return "application/xml"
	case ".md":
		return "text/markdown"
	case ".gz":
		return "application/gzip"
	case ".zip":
		return "application/zip"
	}
	return "application/octet-stream"
}
