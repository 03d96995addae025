package web

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// pageRecording is a recording under way: every page of every context that is opened meanwhile is recorded.
type pageRecording struct {
	device *Device
	dir    string
}

// pageFilm is one page that may be recorded.
type pageFilm struct {
	page  playwright.Page
	start time.Time
}

// StartRecording records the pages that OpenPage opens from now on; a page that is open already cannot be recorded any
// more.
func (d *Device) StartRecording(ctx context.Context, dir string) (drivers.Recording, error) {
	if err := d.driver.canFilm(ctx); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("record the page: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, fmt.Errorf("%w: %s is closed", drivers.ErrDeviceLost, d.info.ID)
	case d.session != nil:
		return nil, fmt.Errorf("%w: a page is recorded from its opening on, and one is open already", drivers.ErrUnsupported)
	case d.filming != nil:
		return nil, errors.New("the page is being recorded already")
	}
	d.filming = &pageRecording{device: d, dir: dir}
	return d.filming, nil
}

func (d *Driver) canFilm(ctx context.Context) error {
	if err := d.acquire(ctx); err != nil {
		return err
	}
	defer d.release()
	if err := d.prepare(ctx); err != nil {
		return err
	}
	if d.setup.FFmpeg == "" {
		return fmt.Errorf("%w: the browser records with ffmpeg, which was not found", drivers.ErrUnsupported)
	}
	return nil
}

// Stop closes the pages, which completes their recordings.
func (f *pageRecording) Stop(ctx context.Context) ([]drivers.Clip, error) {
	d := f.device
	d.mu.Lock()
	s := d.session
	d.session, d.filming = nil, nil
	d.mu.Unlock()
	if s != nil {
		done := start(d, func() (struct{}, error) { s.close(); return struct{}{}, nil })
		select {
		case <-done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	clips := d.finished
	d.finished = nil
	slices.SortStableFunc(clips, func(a, b drivers.Clip) int { return a.Start.Compare(b.Start) })
	if s != nil && !s.browser.alive() {
		return clips, errBrowserLost
	}
	return clips, nil
}

// keepFilms notes the recordings of a session that was just closed. Playwright waits for its ffmpeg before it says that
// a context is closed, so the files are whole.
func (d *Device) keepFilms(s *session) {
	s.mu.Lock()
	films := s.films
	s.mu.Unlock()
	if !s.filmed {
		return
	}
	for _, reel := range films {
		path, err := reel.page.Video().Path()
		if err != nil {
			continue // the page closed before it drew anything
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			continue
		}
		d.mu.Lock()
		d.finished = append(d.finished, drivers.Clip{Path: path, Start: reel.start})
		d.mu.Unlock()
	}
}
