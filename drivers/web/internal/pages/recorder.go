package pages

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
)

// Recorder records the pages that are opened from now on: videos of them, and evidence of what they do.
type Recorder struct {
	slot     *Slot
	launcher *browser.Launcher

	mu       sync.Mutex
	filming  *pageRecording    // set by StartRecording
	finished []drivers.Clip    // of sessions that are closed
	evidence *journal.Evidence // set by StartEvidence
}

// NewRecorder returns the recorder of the pages of a slot.
func NewRecorder(slot *Slot, launcher *browser.Launcher) *Recorder {
	return &Recorder{slot: slot, launcher: launcher}
}

// StartEvidence starts to record what the pages that OpenPage opens from now on request from the network.
func (re *Recorder) StartEvidence(ctx context.Context, how drivers.WebEvidenceOptions) (drivers.WebRecording, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := journal.NewEvidence(how)
	if err != nil {
		return nil, err
	}
	re.mu.Lock()
	defer re.mu.Unlock()
	if re.evidence != nil {
		return nil, errors.New("the network is being recorded already")
	}
	re.evidence = e
	return evidenceRecording{Evidence: e, recorder: re}, nil
}

// evidenceRecording is a recording of evidence under way.
type evidenceRecording struct {
	*journal.Evidence
	recorder *Recorder
}

// Stop closes the pages, which completes the traces, and writes the HAR.
func (e evidenceRecording) Stop(ctx context.Context) (string, []string, error) {
	re := e.recorder
	if s, _ := re.slot.Opened(); s != nil && e.How.Trace {
		done := Start(re.slot, func() (struct{}, error) { s.Close(); return struct{}{}, nil })
		select {
		case <-done:
		case <-ctx.Done():
			return "", nil, ctx.Err()
		}
	}
	re.mu.Lock()
	re.evidence = nil
	re.mu.Unlock()
	return e.Finish()
}

// recording returns what is being recorded, nil if nothing is.
func (re *Recorder) recording() *journal.Evidence {
	re.mu.Lock()
	defer re.mu.Unlock()
	return re.evidence
}

// pageRecording is a recording under way: every page of every context that is opened meanwhile is recorded.
type pageRecording struct {
	recorder *Recorder
	dir      string
}

// Slot returns the slot of which the pages are recorded.
func (re *Recorder) Slot() *Slot { return re.slot }

// FilmDir returns the folder into which pages are recorded, "" when they are not.
func (re *Recorder) FilmDir() string {
	re.mu.Lock()
	defer re.mu.Unlock()
	if re.filming == nil {
		return ""
	}
	return re.filming.dir
}

// pageFilm is one page that may be recorded.
type pageFilm struct {
	page  playwright.Page
	start time.Time
}

// StartRecording records the pages that OpenPage opens from now on; a page that is open already cannot be recorded any
// more.
func (re *Recorder) StartRecording(ctx context.Context, dir string) (drivers.Recording, error) {
	if err := re.launcher.CanFilm(ctx); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("record the page: %w", err)
	}
	re.mu.Lock()
	defer re.mu.Unlock()
	switch s, closed := re.slot.Opened(); {
	case closed:
		return nil, re.slot.ClosedError()
	case s != nil:
		return nil, fmt.Errorf("%w: a page is recorded from its opening on, and one is open already", drivers.ErrUnsupported)
	case re.filming != nil:
		return nil, errors.New("the page is being recorded already")
	}
	re.filming = &pageRecording{recorder: re, dir: dir}
	return re.filming, nil
}

// Stop closes the pages, which completes their recordings.
func (f *pageRecording) Stop(ctx context.Context) ([]drivers.Clip, error) {
	re := f.recorder
	s, _ := re.slot.Take()
	re.mu.Lock()
	re.filming = nil
	re.mu.Unlock()
	if s != nil {
		done := Start(re.slot, func() (struct{}, error) { s.Close(); return struct{}{}, nil })
		select {
		case <-done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	re.mu.Lock()
	defer re.mu.Unlock()
	clips := re.finished
	re.finished = nil
	slices.SortStableFunc(clips, func(a, b drivers.Clip) int { return a.Start.Compare(b.Start) })
	if s != nil && !s.Browser.Alive() {
		return clips, s.Browser.LostError()
	}
	return clips, nil
}

// keepFilms notes the recordings of a session that was just closed. Playwright waits for its ffmpeg before it says that
// a context is closed, so the files are whole.
func (re *Recorder) keepFilms(reels []pageFilm) {
	for _, reel := range reels {
		path, err := reel.page.Video().Path()
		if err != nil {
			continue // the page closed before it drew anything
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			continue
		}
		re.mu.Lock()
		re.finished = append(re.finished, drivers.Clip{Path: path, Start: reel.start})
		re.mu.Unlock()
	}
}
