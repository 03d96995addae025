package reporters

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/reporters/video"
)

// Finish waits for the pictures, makes the recording and derives run.md and summary.json from the events; summary.json is the
// last to appear. A cancelled ctx costs the recording only. The result is given with an error too: it then says what could be
// kept, and its verdict is not Pass. Later calls give what the first gave.
func (p *Pack) Finish(ctx context.Context) (*Result, error) {
	p.once.Do(func() {
		p.awaitPicture()
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		p.awaitPicture() // one that began in between
		p.res, p.err = p.finish(ctx)
	})
	return p.res, p.err
}

func (p *Pack) finish(ctx context.Context) (*Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	res := p.fold()
	if p.broken == nil {
		if err := p.record(ctx, res); err != nil {
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

// fold folds the events of the pack. That something could not be kept is one of them, also when it cannot be written down any more.
func (p *Pack) fold() *Result {
	events, err := readFile(p.root)
	if err != nil {
		p.breaks(err)
	}
	if len(events) > 0 { // a pack that is closed gives none
		p.events = events
	}
	events = p.events
	if p.broken != nil && !slices.ContainsFunc(events, func(e Event) bool { return e.Kind == Unkept }) {
		unkept := Event{Time: p.o.Clock().UTC(), Kind: Unkept, Problem: reportProblem(p.broken)}
		_ = p.log.add(unkept) // what keeps it from being written is most likely what it tells of
		events = append(slices.Clone(events), unkept)
	}
	return foldEvents(p.root, p.c, events)
}

// derive writes the files that are made of the result, and closes the pack.
func (p *Pack) derive(res *Result) error {
	err := writeDerived(p.root, res)
	if err == nil {
		err = p.root.RemoveAll(workDir)
	}
	return errors.Join(err, p.file.Close(), p.root.Close())
}

func writeDerived(root *os.Root, res *Result) error {
	if err := writeBytes(root, runFile, RunMarkdown(res)); err != nil {
		return err
	}
	if err := writeManifest(root); err != nil {
		return err
	}
	return writeBytes(root, summaryFile, SummaryJSON(res))
}

// foldFile folds the events of a pack. What they do not tell of the case is taken from c.
func foldFile(root *os.Root, c Case) (*Result, error) {
	events, err := readFile(root)
	return foldEvents(root, c, events), err
}

func foldEvents(root *os.Root, c Case, events []Event) *Result {
	res := Fold(events)
	if res.Case.ID == "" {
		res.Case = c
		for _, s := range c.Steps {
			if res.Step(s.N) == nil {
				res.Steps = append(res.Steps, StepResult{Step: s, Verdict: Unreached})
			}
		}
	}
	if !slices.ContainsFunc(events, func(e Event) bool { return e.Kind == CaseEnded }) {
		adoptPictures(root, res)
	}
	return res
}

var pictureName = regexp.MustCompile(`^([0-9]{2,6})-.*\.png$`)

// adoptPictures adds the screenshots of which a killed run could write the file, and not the event any more.
func adoptPictures(root *os.Root, res *Result) {
	entries, _ := fs.ReadDir(root.FS(), screenshotsDir) // without the folder there is none
	for _, e := range entries {
		name := path.Join(screenshotsDir, e.Name())
		m := pictureName.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() || slices.ContainsFunc(res.Attachments, func(a Attachment) bool { return a.Path == name }) {
			continue
		}
		picture := Attachment{Path: name, Type: "image/png", Kind: KindScreenshot, at: res.Ended}
		if strings.HasSuffix(name, failedShot+".png") {
			picture.Kind = KindFailure
		}
		res.Attachments = append(res.Attachments, picture)
		n, _ := strconv.Atoi(m[1])
		if s := res.Step(n); s != nil {
			s.Attachments = append(s.Attachments, picture)
		}
	}
}

func readFile(root *os.Root) ([]Event, error) {
	info, err := root.Lstat(eventsFile)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", eventsFile)
	}
	f, err := root.Open(eventsFile)
	if err != nil {
		return nil, err
	}
	events, err := ReadEvents(f)
	return events, errors.Join(err, f.Close())
}

// record makes recording.mp4: of the film's parts, otherwise of the screenshots, otherwise not at all. It needs p.mu, and
// gives an error only when the pack cannot take what was made.
func (p *Pack) record(ctx context.Context, res *Result) error {
	out := filepath.Join(p.dir, workDir, recordingFile)
	rec := p.film(ctx, res, out)
	if err := p.keepScenes(rec); err != nil {
		return err
	}
	e := Event{Kind: Recorded, Recording: &rec}
	if rec.Kind != NoRecording {
		if err := bringIn(p.root, out, recordingFile); err != nil {
			return fmt.Errorf("keep the recording: %w", err)
		}
		e.Attachment = &Attachment{Path: recordingFile, Type: "video/mp4", Kind: KindRecording}
	}
	return p.keep(e)
}

// sceneFile is where the film of a scene is made.
func (p *Pack) sceneFile(i int) string {
	return filepath.Join(p.dir, workDir, fmt.Sprintf("scene-%d.mp4", i+1))
}

// keepScenes takes the films of the scenes into the pack, or tells why there are none. It needs p.mu.
func (p *Pack) keepScenes(rec Recording) error {
	for i, s := range p.scenes {
		why := rec.Why
		if s.failed != nil {
			why = s.failed.Error()
		}
		if rec.Kind != NativeFilm || s.failed != nil {
			if err := p.keep(Event{Kind: Logged, Message: fmt.Sprintf("there is no film %s: %s", s.name, why)}); err != nil {
				return err
			}
			continue
		}
		name, err := p.place("artifacts/" + s.name + ".mp4")
		if err == nil {
			err = bringIn(p.root, p.sceneFile(i), name)
		}
		if err == nil {
			err = p.keep(Event{Kind: Attached, Attachment: &Attachment{Path: name, Type: "video/mp4", Kind: KindArtifact}})
		}
		if err != nil {
			return fmt.Errorf("keep the film %s: %w", s.name, err)
		}
	}
	return nil
}

func (p *Pack) film(ctx context.Context, res *Result, out string) Recording {
	maker := video.Maker{FFmpeg: p.o.FFmpeg, Chapters: chapters(res)}
	for i, s := range p.scenes {
		maker.Scenes = append(maker.Scenes, video.Scene{From: s.from, To: s.to, Out: p.sceneFile(i), Failed: func(err error) { p.scenes[i].failed = err }})
	}
	why := p.noFilm
	if len(p.clips) > 0 {
		err := maker.Join(ctx, p.clips, out)
		if err == nil {
			return Recording{Kind: NativeFilm}
		}
		why = err.Error()
	}
	if why == "" {
		why = "the device made no film"
	}
	if p.o.NoVideo {
		return Recording{Kind: NoRecording, Why: why}
	}
	frames, start := frames(res, p.dir)
	if len(frames) == 0 {
		return Recording{Kind: NoRecording, Why: why + "; there are no screenshots"}
	}
	if p.o.FFmpeg == "" {
		return Recording{Kind: NoRecording, Why: why + "; ffmpeg, which makes a slide show, is not installed"}
	}
	if err := maker.SlideShow(ctx, frames, start, out); err != nil {
		return Recording{Kind: NoRecording, Why: why + "; " + err.Error()}
	}
	return Recording{Kind: SlideShow, Why: why}
}

func chapters(res *Result) []video.Chapter {
	var marks []video.Chapter
	for _, s := range res.Steps {
		if !s.Started.IsZero() {
			marks = append(marks, video.Chapter{At: s.Started, Title: fmt.Sprintf("%d %s %s", s.N, s.Action, s.Args)})
		}
	}
	return marks
}

// frames gives each picture with the time for which it was the newest one; the first is shown from the start of the case on.
func frames(res *Result, dir string) ([]video.Frame, time.Time) {
	shots := res.Screenshots()
	var list []video.Frame
	for i, a := range shots {
		from, to := a.at, res.Ended
		if i == 0 {
			from = res.Started
		}
		if i+1 < len(shots) {
			to = shots[i+1].at
		}
		list = append(list, video.Frame{Path: filepath.Join(dir, filepath.FromSlash(a.Path)), Duration: max(0, to.Sub(from))})
	}
	return list, res.Started
}
