package action

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// at names an element of the page for the step.
func (s *Performer) at(selector, frame string) drivers.WebTarget {
	s.tapped = nil
	return drivers.WebTarget{Selector: selector, Frame: frame, Timeout: s.Timeout, Meanwhile: s.meanwhile,
		Warned: func(warning string) { s.doubtOnce("%s", warning) }, Drawn: s.drawnBelow()}
}

// meanwhile is for the moment in which a step has done what it does, and watches whether the app takes it back.
func (s *Performer) meanwhile(ctx context.Context) {
	s.took = time.Now()
	s.takeOwn(ctx)
}

func onElements(s *Performer, do func(drivers.WebElements) error) error {
	d, err := capability[drivers.WebElements](s)
	if err != nil {
		return err
	}
	return do(d)
}

func onPages(s *Performer, do func(drivers.WebPages) error) error {
	d, err := capability[drivers.WebPages](s)
	if err != nil {
		return err
	}
	return do(d)
}

// webClick is tap by a selector of the page. Clicks in quick succession are one gesture, which the page makes.
func webClick(ctx context.Context, s *Performer, a dsl.WebClick) error {
	if a.Count <= 1 {
		return tap(ctx, s, dsl.Tap{Selector: decide.InDocument(a.Selector, a.Frame), Button: a.Button,
			Modifiers: a.Modifiers})
	}
	return onElements(s, func(d drivers.WebElements) error {
		return d.ClickOn(ctx, s.at(a.Selector, a.Frame), drivers.WebClick{Button: a.Button, Count: a.Count,
			Modifiers: keyNames(a.Modifiers)})
	})
}

// webPress is press where the focus is; with a selector it first moves the focus, without a touch.
func webPress(ctx context.Context, s *Performer, a dsl.WebPress) error {
	if a.Selector == "" {
		return press(ctx, s, dsl.Press{Keys: []string{a.Key}})
	}
	return onElements(s, func(d drivers.WebElements) error { return d.PressOn(ctx, s.at(a.Selector, a.Frame), a.Key) })
}

func webSelect(ctx context.Context, s *Performer, a dsl.WebSelect) error {
	choice := drivers.WebChoice{Values: a.Value, Labels: a.Label, Indexes: a.Index}
	return onElements(s, func(d drivers.WebElements) error { return d.SelectIn(ctx, s.at(a.Selector, a.Frame), choice) })
}

func webCheck(ctx context.Context, s *Performer, a dsl.WebCheck) error {
	return onElements(s, func(d drivers.WebElements) error { return d.Check(ctx, s.at(a.Selector, a.Frame), a.Checked) })
}

func webHover(ctx context.Context, s *Performer, a dsl.WebHover) error {
	return onElements(s, func(d drivers.WebElements) error { return d.Hover(ctx, s.at(a.Selector, a.Frame)) })
}

func webUpload(ctx context.Context, s *Performer, a dsl.WebUpload) error {
	var files []string
	for _, name := range a.Files {
		path, err := s.upload(name)
		if err != nil {
			return err
		}
		files = append(files, path)
	}
	if a.Drop {
		d, err := capability[drivers.WebDropper](s)
		if err != nil {
			return err
		}
		return d.DropFiles(ctx, s.at(a.Selector, a.Frame), files)
	}
	return onElements(s, func(d drivers.WebElements) error { return d.Upload(ctx, s.at(a.Selector, a.Frame), files) })
}

// webDownload keeps the file as an artifact of the report.
func webDownload(ctx context.Context, s *Performer, a dsl.WebDownload) error {
	dir, err := os.MkdirTemp(s.Work, "download-")
	if err != nil {
		return err
	}
	return onElements(s, func(d drivers.WebElements) error {
		path, err := d.Download(ctx, s.at(a.Selector, a.Frame), dir, a.Name)
		if err != nil {
			return err
		}
		name := filepath.Base(path)
		kept, err := s.Support.keep("artifacts/"+name, path)
		if err != nil {
			return fmt.Errorf("keep the download %s: %w", name, err)
		}
		s.note("downloaded %s", name)
		s.Value = kept
		return nil
	})
}

// webWait is waitFor by a selector of the page, where that is to be on the screen. The other states are of the whole
// page.
func webWait(ctx context.Context, s *Performer, a dsl.WebWait) error {
	switch {
	case a.Selector != "" && (a.State == "" || a.State == "visible"):
		return claim{Claim: decide.Claim{Selector: decide.InDocument(a.Selector, a.Frame)}}.holds(ctx, s)
	case a.Selector != "":
		return asAssertion(onElements(s, func(d drivers.WebElements) error {
			return d.WaitElement(ctx, s.at(a.Selector, a.Frame), a.State)
		}))
	}
	event := drivers.WebEvent{URL: a.URL, Load: a.Load, Request: a.Request, Response: a.Response}
	return asAssertion(onPages(s, func(d drivers.WebPages) error { return d.WaitPage(ctx, event, s.Timeout) }))
}

func webNavigate(ctx context.Context, s *Performer, a dsl.WebNavigate) error {
	d, err := capability[drivers.Navigator](s)
	if err != nil {
		return err
	}
	where := a.To
	if a.URL != "" {
		if where, err = s.address(a.URL); err != nil {
			return err
		}
		if err := s.mayOpen(ctx, where); err != nil {
			return err
		}
	}
	s.tapped = nil
	if err := d.Navigate(ctx, where, max(s.Timeout, time.Millisecond)); err != nil {
		return err
	}
	noteAnswer(s)
	return stillLoading(ctx, s)
}

func webRoute(ctx context.Context, s *Performer, a dsl.WebRoute) error {
	route := drivers.WebRoute{URL: a.URL, Method: a.Method, Times: a.Times, Block: a.Block, Status: a.Status, Body: a.Body,
		JSON:    a.JSON,
		Headers: a.Headers, Delay: time.Duration(a.DelayMs) * time.Millisecond, Request: a.Request}
	if m := a.Modify; m != nil {
		route.Modify = &drivers.WebModify{Status: m.Status, Headers: m.Headers, Merge: m.Merge, Replace: m.Replace}
	}
	return onPages(s, func(d drivers.WebPages) error { return d.Route(ctx, route) })
}

func webStorage(ctx context.Context, s *Performer, a dsl.WebStorage) error {
	return onPages(s, func(d drivers.WebPages) error {
		if a.Clear {
			return d.ClearState(ctx)
		}
		if a.Load != "" {
			path, err := savedState(s, a.Load)
			if err != nil {
				return err
			}
			return d.LoadState(ctx, path)
		}
		path, err := stateFor(s, a.Save)
		if err != nil {
			return err
		}
		return d.SaveState(ctx, path)
	})
}

// stateName is the name of a browser state that belongs to the run: it has no extension, as files do.
var stateName = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

// StateFile is the file of a browser state in the folder of the run's states.
func StateFile(dir, name string) string { return filepath.Join(dir, "state-"+name+".json") }

// States are the names of the browser states in a folder.
func States(dir string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "state-*.json"))
	for _, file := range files {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "state-"), ".json"))
	}
	return names, err
}

// WriteState writes a browser state that comes from another machine.
func WriteState(dir, name string, state []byte) error {
	if !stateName.MatchString(name) {
		return fmt.Errorf("%q is not the name of a browser state", name)
	}
	return os.WriteFile(StateFile(dir, name), state, 0o600)
}

// savedState returns the file of a browser state that was saved.
func savedState(s *Performer, name string) (string, error) {
	if !stateName.MatchString(name) {
		return s.File(name)
	}
	if s.States != "" {
		path := StateFile(s.States, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", badFile("no test of this run has saved the browser state %q with webStorage: {save: %s}: name that test "+
		"under needs; the name of a file has an extension, such as %s.json", name, name, name)
}

// stateFor returns the file to save a browser state in.
func stateFor(s *Performer, name string) (string, error) {
	switch {
	case !stateName.MatchString(name):
		return s.fileFor(name)
	case s.States == "":
		return "", badFile("the browser state %q belongs to a run, and there is none: save a file, such as %s.json", name,
			name)
	}
	return StateFile(s.States, name), os.MkdirAll(s.States, 0o700)
}

func webEval(ctx context.Context, s *Performer, a dsl.WebEval) error {
	return onPages(s, func(d drivers.WebPages) (err error) {
		s.Value, err = d.Eval(ctx, a.Script, s.Timeout)
		return err
	})
}

func closeBrowser(ctx context.Context, s *Performer, _ dsl.CloseBrowser) error {
	return onPages(s, func(d drivers.WebPages) error { return d.ClosePage(ctx) })
}

// webDrag is drag by selectors of the page.
func webDrag(ctx context.Context, s *Performer, a dsl.WebDrag) error {
	way := dsl.Drag{From: dsl.Target{Selector: decide.InDocument(a.Selector, a.Frame)}, By: a.By}
	if a.By == nil {
		way.To = &dsl.Target{Selector: decide.InDocument(a.To, a.Frame)}
	}
	return drag(ctx, s, way)
}

// webTab continues with another page, or closes the foreground page.
func webTab(ctx context.Context, s *Performer, a dsl.WebTab) error {
	return onTabs(s, func(d drivers.WebTabs) error {
		if a.Close {
			return d.CloseTab(ctx)
		}
		return d.PickPage(ctx, drivers.WebTabSelector{URL: a.URL, Title: a.Title, Index: a.Index}, s.Timeout)
	})
}

func webDialog(ctx context.Context, s *Performer, a dsl.WebDialog) error {
	how := drivers.WebAnswer{AtOnce: a.Answer != "wait", Accept: a.Answer == "accept", Text: a.Text}
	return onTabs(s, func(d drivers.WebTabs) error { return d.AnswerDialogs(ctx, how) })
}

func onTabs(s *Performer, do func(drivers.WebTabs) error) error {
	d, err := capability[drivers.WebTabs](s)
	if err != nil {
		return err
	}
	s.tapped = nil
	return do(d)
}
