package bidi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// SaveCommand sets the folder in which a browser saves what pages offer.
const SaveCommand = "browser.setDownloadBehavior"

// Saved is called with the path of a file that the browser has saved, on the browser's machine, before it saves another
// one. It waits for nothing. take returns the path of the file on this machine.
type Saved func(there string) (take func(ctx context.Context) (path string, err error))

// saving is what becomes of the files that pages offer.
type saving struct {
	saved Saved            // nil: none are reported
	files map[string]*file // that have not ended
}

// file is one that a page offers.
type file struct {
	done chan struct{} // closed when take is known
	take func(ctx context.Context) (path string, err error)
}

// SaveFiles has the files that pages offer saved in a folder of the browser's machine and passed to saved; folder "":
// the browser has one already. A session that does not report files changes nothing.
func (s *Events) SaveFiles(ctx context.Context, folder string, saved Saved) error {
	if folder != "" {
		err := s.set(ctx, SaveCommand, map[string]any{"downloadBehavior": map[string]any{"type": "allowed",
			"destinationFolder": folder}}, call{SaveCommand, map[string]any{"downloadBehavior": nil}})
		if webdriver.LacksCommand(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	err := s.conn.Subscribe(ctx, "browsingContext.downloadWillBegin", "browsingContext.downloadEnd")
	if webdriver.Is(err, webdriver.InvalidArgument) { // it has no such events
		return nil
	}
	if err != nil {
		return s.explain(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saving = saving{saved: saved, files: map[string]*file{}}
	return nil
}

// hearDownload reports a file that a page offers, or its end. One of a window without a page, such as the one that a
// link opens for the file alone, is reported to another page.
func (s *Events) hearDownload(method string, params json.RawMessage) {
	var p struct{ Context, Download, Navigation, URL, SuggestedFilename, Status, Filepath string }
	if json.Unmarshal(params, &p) != nil {
		s.mangled(method)
		return
	}
	id := cmp.Or(p.Download, p.Navigation, p.URL)
	window, _ := s.windowOf(p.Context)
	s.mu.Lock()
	saved := s.saving.saved
	if saved == nil {
		s.mu.Unlock()
		return
	}
	if method == "browsingContext.downloadWillBegin" {
		f := &file{done: make(chan struct{})}
		s.saving.files[id] = f
		page := s.pages[window]
		for _, other := range s.pages {
			page = cmp.Or(page, other)
		}
		s.mu.Unlock()
		if page != nil {
			page.Offered(classic.Offer{URL: p.URL, Name: p.SuggestedFilename, Done: f.done,
				Result: func(ctx context.Context) (string, error) { return f.take(ctx) }})
		}
		return
	}
	f := s.saving.files[id]
	delete(s.saving.files, id)
	s.mu.Unlock()
	if f == nil {
		return
	}
	if p.Status == "complete" {
		f.take = saved(p.Filepath)
	} else {
		f.take = func(context.Context) (string, error) {
			return "", errors.New(cmp.Or(p.Status, "the browser does not report its end"))
		}
	}
	close(f.done)
}

// StopSaving has the browser give up the files that it still saves: it would put them into a folder that has gone.
// Only Chromium has a command for it.
func (s *Events) StopSaving(ctx context.Context) {
	s.mu.Lock()
	ids := slices.Collect(maps.Keys(s.saving.files))
	s.mu.Unlock()
	for _, id := range ids {
		_ = s.conn.Call(ctx, "goog:cdp.sendCommand", map[string]any{"method": "Browser.cancelDownload",
			"params": map[string]any{"guid": id}}, nil) // fails when the file is whole by now
	}
}
