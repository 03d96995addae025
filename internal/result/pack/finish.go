package pack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/video"
)

// Finish waits for the screenshots, makes the recording and derives run.md and summary.json from the events;
// summary.json is written last. When ctx is cancelled, the recording is finished all the same, unless that takes
// long. With an error, Finish returns a result too:
// it describes what was kept, and its result is not Pass. Later calls return the same values.
func (p *Pack) Finish(ctx context.Context) (*event.CaseResult, error) {
	p.once.Do(func() {
		p.awaitScreenshot()
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		p.awaitScreenshot() // one that was started in between
		p.res, p.err = p.finish(ctx)
	})
	return p.res, p.err
}

func (p *Pack) finish(ctx context.Context) (*event.CaseResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	res := p.fold()
	if p.broken == nil {
		making, done := outlast(ctx, interruptLimit)
		err := p.record(making, res)
		done()
		if err == nil && p.o.FailedScreenshots && res.Result == event.Pass {
			err = p.dropScreenshots()
		}
		if err != nil {
			p.breaks(err)
		}
		res = p.fold()
	}
	if err := p.derive(res); err != nil && p.broken == nil {
		p.breaks(err)
		res = p.fold()
	}
	if p.broken != nil {
		return res, fmt.Errorf("keep the report of %s: %w", p.c.Pack, p.broken)
	}
	return res, nil
}

// interruptLimit is how long recordings may take after the run was interrupted. Orchestrators that stop a run send a
// signal and wait for some seconds; a second signal ends the process at once.
const interruptLimit = 20 * time.Second

// outlast returns a context that ends some time after ctx, or when done is called.
func outlast(ctx context.Context, limit time.Duration) (longer context.Context, done func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		late := time.NewTimer(limit)
		defer late.Stop()
		select {
		case <-late.C:
			cancel()
		case <-longer.Done():
		}
	})
	return longer, func() { stop(); cancel() }
}

// fold folds the events of the pack. It adds an event for what could not be kept, even when that event cannot be
// written.
func (p *Pack) fold() *event.CaseResult {
	events, err := readFile(p.root)
	if err != nil {
		p.breaks(err)
	}
	if len(events) > 0 { // a closed pack has none
		p.events = events
	}
	events = p.events
	if p.broken != nil && !slices.ContainsFunc(events, func(e event.Event) bool { return e.Kind == event.Unkept }) {
		unkept := event.Event{Time: p.o.Clock().UTC(), Kind: event.Unkept, Problem: reportProblem(p.broken)}
		_ = p.log.Add(unkept) // if it cannot be written, the cause is most likely the one that it reports
		events = append(slices.Clone(events), unkept)
	}
	return foldEvents(p.root, p.c, events)
}

// derive writes the files that are made from the result, and closes the pack.
func (p *Pack) derive(res *event.CaseResult) error {
	err := WriteDerived(p.root, res)
	if err == nil {
		err = p.root.RemoveAll(event.WorkDir)
	}
	return errors.Join(err, p.file.Close(), p.root.Close())
}

func WriteDerived(root *os.Root, res *event.CaseResult) error {
	if err := writeBytes(root, event.RunFile, markdown.RunMarkdown(res)); err != nil {
		return err
	}
	if err := writeManifest(root); err != nil {
		return err
	}
	return writeBytes(root, event.SummaryFile, SummaryJSON(res))
}

// FoldFile folds the events of a pack. What they lack of the case is taken from c.
func FoldFile(root *os.Root, c event.Case) (*event.CaseResult, error) {
	events, err := readFile(root)
	return foldEvents(root, c, events), err
}

func foldEvents(root *os.Root, c event.Case, events []event.Event) *event.CaseResult {
	res := event.Fold(events)
	if res.Case.ID == "" {
		res.Case = c
		for _, s := range c.Steps {
			if res.Step(s.N) == nil {
				res.Steps = append(res.Steps, event.StepResult{Step: s, Result: event.Unreached})
			}
		}
	}
	if !slices.ContainsFunc(events, func(e event.Event) bool { return e.Kind == event.CaseEnded }) {
		adoptScreenshots(root, res)
	}
	return res
}

var screenshotName = lazyregexp.New(`^([0-9]{2,6})-.*\.png$`)

// adoptScreenshots adds the screenshots of a killed run that have a file, but no event.
func adoptScreenshots(root *os.Root, res *event.CaseResult) {
	entries, _ := fs.ReadDir(root.FS(), event.ScreenshotsDir) // without the folder there is none
	for _, e := range entries {
		name := path.Join(event.ScreenshotsDir, e.Name())
		m := screenshotName.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() || slices.ContainsFunc(res.Attachments, func(a event.Attachment) bool {
			return a.Path == name
		}) {
			continue
		}
		picture := event.Attachment{Path: name, Type: "image/png", Kind: event.KindScreenshot, At: res.Ended}
		if strings.HasSuffix(name, failedShot+".png") {
			picture.Kind = event.KindFailure
		}
		res.Attachments = append(res.Attachments, picture)
		n, _ := strconv.Atoi(m[1])
		if s := res.Step(n); s != nil {
			s.Attachments = append(s.Attachments, picture)
		}
	}
}

func readFile(root *os.Root) ([]event.Event, error) {
	info, err := root.Lstat(event.EventsFile)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", event.EventsFile)
	}
	f, err := root.Open(event.EventsFile)
	if err != nil {
		return nil, err
	}
	events, err := event.ReadEvents(f)
	return events, errors.Join(err, f.Close())
}

// record makes recording.mp4, and one for each further device of the case. It needs p.mu, and returns an error only
// when a file cannot be added to the pack.
func (p *Pack) record(ctx context.Context, res *event.CaseResult) error {
	err := p.recordOne(ctx, res, &p.recorded)
	for i, d := range res.Case.Devices {
		if i == 0 || err != nil {
			continue
		}
		err = p.recordOne(ctx, res, p.of(d.Name)) // also of one that has recorded nothing
	}
	return err
}

// recordOne makes the recording of a device: from its clips, otherwise from its screenshots, otherwise not at all.
func (p *Pack) recordOne(ctx context.Context, res *event.CaseResult, of *recorded) error {
	name := res.Case.DeviceFile(event.RecordingFile, of.device)
	out := filepath.Join(p.dir, event.WorkDir, name)
	rec := p.makeRecording(ctx, of, res, out)
	if err := p.keepClips(of, rec); err != nil {
		return err
	}
	e := event.Event{Kind: event.Recorded, Recording: &rec, Device: of.device}
	if rec.Kind != event.NoRecording {
		if err := moveIntoPack(p.root, out, name); err != nil {
			return fmt.Errorf("keep the recording: %w", err)
		}
		e.Attachment = &event.Attachment{Path: name, Type: "video/mp4", Kind: event.KindRecording, Device: of.device}
	}
	return p.keep(e)
}

// dropScreenshots removes the screenshots of the steps, and the events that name them. It needs p.mu.
func (p *Pack) dropScreenshots() error {
	data, err := p.root.ReadFile(event.EventsFile)
	if err != nil {
		return err
	}
	var kept []byte
	for line := range bytes.Lines(data) {
		var e struct {
			Kind       event.Kind        `json:"event"`
			Attachment *event.Attachment `json:"attachment"`
		}
		if json.Unmarshal(line, &e) == nil && e.Kind == event.Attached && e.Attachment != nil &&
			slices.Contains([]string{event.KindScreenshot, event.KindFailure, event.KindMoment}, e.Attachment.Kind) {
			if err := p.root.Remove(filepath.FromSlash(e.Attachment.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		kept = append(kept, line...)
	}
	if err := writeBytes(p.root, event.EventsFile, kept); err != nil {
		return err
	}
	file, err := p.root.OpenFile(event.EventsFile, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	err = p.file.Close()
	p.file, p.log.File = file, file
	return err
}

// clipFile is where a clip that the test requested is written.
func (p *Pack) clipFile(of *recorded, i int) string {
	return filepath.Join(p.dir, event.WorkDir, fmt.Sprintf("cut-%d%s.mp4", i+1, of.device))
}

// keepClips takes the requested clips of the recording into the pack, or logs why there are none. It needs p.mu.
func (p *Pack) keepClips(of *recorded, rec event.Recording) error {
	for i, s := range of.requestedClips {
		why := rec.Why
		if s.failed != nil {
			why = s.failed.Error()
		}
		if rec.Kind != event.NativeRecording || s.failed != nil {
			if err := p.keep(event.Event{Kind: event.Logged, Message: fmt.Sprintf("there is no recording %s: %s", s.name,
				why)}); err != nil {
				return err
			}
			continue
		}
		name, err := p.place("artifacts/" + s.name + ".mp4")
		if err == nil {
			err = moveIntoPack(p.root, p.clipFile(of, i), name)
		}
		if err == nil {
			err = p.keep(event.Event{Kind: event.Attached, Attachment: &event.Attachment{Path: name, Type: "video/mp4",
				Kind: event.KindArtifact}})
		}
		if err != nil {
			return fmt.Errorf("keep the recording %s: %w", s.name, err)
		}
	}
	return nil
}

func (p *Pack) makeRecording(ctx context.Context, of *recorded, res *event.CaseResult, out string) event.Recording {
	if p.o.FailedVideo && res.Result == event.Pass && len(of.requestedClips) == 0 {
		return event.Recording{Kind: event.NoRecording, Why: "the test passed, and only recordings of failures are kept"}
	}
	maker := video.Maker{FFmpeg: p.o.FFmpeg, Chapters: chapters(res)}
	for i, s := range of.requestedClips {
		maker.Cuts = append(maker.Cuts, video.Cut{From: s.from, To: s.to, Out: p.clipFile(of, i),
			Failed: func(err error) { of.requestedClips[i].failed = err }})
	}
	why := of.noRecording
	if len(of.clips) > 0 {
		err := maker.Join(ctx, of.clips, out)
		if err == nil {
			return event.Recording{Kind: event.NativeRecording}
		}
		why = err.Error()
	}
	if why == "" {
		why = "the device made no recording"
	}
	if p.o.NoVideo {
		return event.Recording{Kind: event.NoRecording, Why: why}
	}
	frames, start := frames(res, p.dir, of.device)
	if len(frames) == 0 {
		return event.Recording{Kind: event.NoRecording, Why: why + "; there are no screenshots"}
	}
	if p.o.FFmpeg == "" {
		return event.Recording{Kind: event.NoRecording, Why: why + "; ffmpeg, which makes a slide show, is not installed"}
	}
	if err := maker.SlideShow(ctx, frames, start, out); err != nil {
		return event.Recording{Kind: event.NoRecording, Why: why + "; " + err.Error()}
	}
	return event.Recording{Kind: event.SlideShow, Why: why}
}

func chapters(res *event.CaseResult) []video.Chapter {
	var marks []video.Chapter
	for _, s := range res.Steps {
		if !s.Started.IsZero() {
			marks = append(marks, video.Chapter{At: s.Started, Title: fmt.Sprintf("%d %s %s", s.N, s.Action, s.Args)})
		}
	}
	return marks
}

// frames returns each screenshot of a device with the time for which it was the newest one. The first is shown from the
// start of the case.
func frames(res *event.CaseResult, dir, device string) ([]video.Frame, time.Time) {
	shots := ofDevice(res, device)
	var list []video.Frame
	for i, a := range shots {
		from, to := a.At, res.Ended
		if i == 0 {
			from = res.Started
		}
		if i+1 < len(shots) {
			to = shots[i+1].At
		}
		list = append(list, video.Frame{Path: filepath.Join(dir, filepath.FromSlash(a.Path)), Duration: max(0, to.Sub(from))})
	}
	return list, res.Started
}

// ofDevice returns the screenshots of a device in the order of time; "" is the first one.
func ofDevice(res *event.CaseResult, device string) []event.Attachment {
	if len(res.Case.Devices) == 0 {
		return res.Screenshots()
	}
	if device == "" {
		device = res.Case.Devices[0].Name
	}
	owner := map[string]string{}
	for i := range res.Steps {
		for _, a := range res.Steps[i].Attachments {
			owner[a.Path] = res.DeviceOf(a, &res.Steps[i])
		}
	}
	shots := slices.DeleteFunc(res.Screenshots(), func(a event.Attachment) bool { return owner[a.Path] != device })
	slices.SortStableFunc(shots, func(a, b event.Attachment) int { return a.At.Compare(b.At) })
	return shots
}
