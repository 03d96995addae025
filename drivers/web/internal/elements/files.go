package elements

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// maxDownload caps a file that a page offers.
const maxDownload = 1 << 30

// Files passes files to pages, and keeps those that they offer.
type Files struct {
	actor    *Actor
	elements *Elements
}

// NewFiles passes files to the elements on which actor acts.
func NewFiles(actor *Actor, elements *Elements) *Files {
	return &Files{actor: actor, elements: elements}
}

// Upload puts files into a file field, or to the file dialog that a click on the element opens.
func (fs *Files) Upload(ctx context.Context, at drivers.WebTarget, files []string) error {
	paths, err := fs.uploads(files)
	if err != nil {
		return err
	}
	var given any = paths
	if len(paths) == 0 {
		given = []playwright.InputFile{}
	}
	ctx = withDeadline(ctx, at)
	if _, err := fs.elements.controls.enabled(ctx, at); err != nil {
		return err
	}
	err = fs.actor.once(ctx, at, singleAction{ // a page that keeps the files of each time would have them twice
		try: func(field playwright.Locator, timeout *float64) error {
			return field.WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateAttached,
				Timeout: timeout})
		},
		do: func(field playwright.Locator, timeout *float64) error {
			return field.SetInputFiles(given, playwright.LocatorSetInputFilesOptions{Timeout: timeout})
		},
	})
	var no *refused
	if errors.As(err, &no) && strings.Contains(no.reason, "not an HTMLInputElement") {
		return fs.uploadByDialog(ctx, at, paths)
	}
	return err
}

// uploads are the whole paths of files that a page is to get.
func (fs *Files) uploads(files []string) ([]string, error) {
	if len(files) > maxFiles {
		return nil, fmt.Errorf("%w: %d files are too many to upload at once", drivers.ErrNotActionable, len(files))
	}
	paths := make([]string, len(files))
	for i, f := range files {
		path, err := filepath.Abs(f)
		if err != nil {
			return nil, fmt.Errorf("upload %s: %w", f, err)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("%w: there is no file %s to upload", screen.ErrNotFound, screen.Quote(f))
		}
		if info.IsDir() {
			if err := fs.noFolders(); err != nil {
				return nil, err
			}
		}
		paths[i] = path
	}
	return paths, nil
}

// noFolders is the error of a browser that takes files alone.
func (fs *Files) noFolders() error {
	s, _, err := fs.actor.slot.Page()
	if err != nil || s.Browser.Brand.Devtools {
		return err
	}
	return fmt.Errorf("%w: %s takes no folder, files alone", drivers.ErrUnsupported,
		dsl.BrowserTitle(s.Browser.Brand.Name))
}

// uploadByDialog clicks what opens a file dialog and fills that.
func (fs *Files) uploadByDialog(ctx context.Context, at drivers.WebTarget, paths []string) error {
	s, page, err := fs.actor.slot.Page()
	if err != nil {
		return err
	}
	if s.Browser.Brand.Silent {
		return fmt.Errorf("%w: %s is not a file field, and %s does not report the dialogs that a click opens: name the "+
			"field itself", drivers.ErrUnsupported, naming(at), dsl.BrowserTitle(s.Browser.Brand.Name))
	}
	chosen := make(chan playwright.FileChooser, 1)
	listen := func(c playwright.FileChooser) {
		select {
		case chosen <- c:
		default:
		}
	}
	page.OnFileChooser(listen)
	defer page.RemoveListener("filechooser", listen)
	deadline := deadlineOf(ctx, at)
	if err := fs.elements.click(ctx, at, drivers.WebClick{}, true); err != nil {
		return err
	}
	timer := time.NewTimer(max(time.Until(deadline), pages.FillSlice))
	defer timer.Stop()
	select {
	case c := <-chosen:
		return pages.Act(ctx, fs.actor.slot, func(playwright.Page) error { return judge(at, c.SetFiles(paths)) })
	case <-timer.C:
		return fmt.Errorf("%w: %s is not a file field, and a click on it opened no file dialog", drivers.ErrNotActionable,
			naming(at))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Download clicks and waits for the file that comes of it.
func (fs *Files) Download(ctx context.Context, at drivers.WebTarget, dir, name string) (string, error) {
	s, _, err := fs.actor.slot.Page()
	if err == nil {
		err = s.Refuses("webDownload")
	}
	if err != nil {
		return "", err
	}
	ctx = withDeadline(ctx, at)
	select {
	case <-s.Tabs.Downloads: // one that was not requested
	default:
	}
	deadline := deadlineOf(ctx, at)
	if err := fs.elements.click(ctx, at, drivers.WebClick{}, true); err != nil {
		return "", err
	}
	timer := time.NewTimer(max(time.Until(deadline), pages.FillSlice))
	defer timer.Stop()
	select {
	case file := <-s.Tabs.Downloads:
		return fs.keep(ctx, file, deadline, dir, name)
	case <-timer.C:
		return "", fmt.Errorf("%w: %s was clicked and no download started within %s", screen.ErrNotFound, naming(at),
			pages.Wait(at.Timeout))
	case <-s.Browser.Lost:
		return "", s.Browser.LostError()
	case <-s.Crash:
		return "", s.Browser.CrashError()
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// keep waits for the end of a download and puts it into dir.
func (fs *Files) keep(ctx context.Context, file playwright.Download, deadline time.Time, dir, name string) (string,
	error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("keep a download: %w", err)
	}
	aside, err := os.MkdirTemp(dir, ".download-*")
	if err != nil {
		return "", fmt.Errorf("keep a download: %w", err)
	}
	temporary := filepath.Join(aside, "file")
	done := pages.Start(fs.actor.slot, func() (string, error) {
		defer os.RemoveAll(aside) // a download that was given up may still be written for a moment
		err := file.SaveAs(temporary)
		if errors.Is(err, drivers.ErrUnsupported) || errors.Is(err, drivers.ErrDeviceLost) {
			return "", err
		}
		if err != nil {
			return "", fmt.Errorf("%w: the download of %s failed: %s", screen.ErrNotFound, phrase.LimitRunes(file.URL(), 99),
				browser.Plain(err))
		}
		if name == "" {
			name = file.SuggestedFilename()
		}
		return place(temporary, dir, safeName(name))
	})
	timer := time.NewTimer(max(time.Until(deadline), pages.FillSlice))
	defer timer.Stop()
	select {
	case r := <-done:
		return r.Value, r.Err
	case <-timer.C:
		err = fmt.Errorf("%w: the download of %s did not end in time", screen.ErrNotFound, phrase.LimitRunes(file.URL(), 99))
	case <-ctx.Done():
		err = ctx.Err()
	}
	fs.actor.slot.Calls.Go(func() { _ = file.Cancel() }) // SaveAs returns then
	return "", err
}

// safeName makes a file name that a site may have chosen one that stays in its folder, on every system.
func safeName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || !unicode.IsPrint(r) || strings.ContainsRune(`<>:"|?*`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	name = strings.Trim(name, ". ")
	if ext := filepath.Ext(name); len(name) > 150 {
		if len(ext) > 20 {
			ext = ""
		}
		name = strings.ToValidUTF8(name[:150-len(ext)], "") + ext
	}
	if name == "" {
		return "download"
	}
	return name
}

// place moves a file within dir to a name that is free there.
func place(from, dir, name string) (string, error) {
	info, err := os.Stat(from)
	if err != nil {
		return "", fmt.Errorf("keep a download: %w", err)
	}
	if info.Size() > maxDownload {
		return "", fmt.Errorf("%w: the download is too large: %d bytes", drivers.ErrNotActionable, info.Size())
	}
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; n <= 1000; n++ {
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, n, ext)
		}
		path := filepath.Join(dir, name)
		held, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // follows no link
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			err = errors.Join(held.Close(), os.Rename(from, path))
		}
		if err != nil {
			return "", fmt.Errorf("keep a download: %w", err)
		}
		return path, nil
	}
	return "", fmt.Errorf("keep a download: %s has too many files named %s", dir, stem+ext)
}
