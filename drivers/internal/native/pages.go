package native

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/remote"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

const (
	// nativeContext is the context in which commands go to the phone.
	nativeContext = "NATIVE_APP"
	// enterLimit is for a page to be entered: the server may start a driver of browsers for it.
	enterLimit = 30 * time.Second
	leaveLimit = 10 * time.Second
	// scriptLimit is how long a script may run in a page. No other client sets this value: a driver of browsers that has
	// another one was started by the server since.
	scriptLimit = 2017 * time.Millisecond
	// busyLimit is how long a page may keep scripts waiting.
	busyLimit = 8 * time.Second
)

// Pages has commands go to the pages of apps, in which a server calls them contexts. Meanwhile nothing is sent to the
// phone.
type Pages struct {
	session *Session
	page    string // that was chosen: context and window
}

// InPages calls do while commands can go to pages. Afterwards they go to the phone again.
func (s *Session) InPages(ctx context.Context, do func(context.Context, *Pages) error) error {
	ctx, free := drivers.Bound(ctx, s.Life)
	defer free()
	s.gate.Lock()
	defer s.gate.Unlock()
	if err := s.leavePages(ctx); err != nil {
		return err
	}
	err := do(ctx, &Pages{session: s})
	if s.context == "" || s.Life.Err() != nil {
		return err
	}
	leaving, end := drivers.Bound(context.WithoutCancel(ctx), s.Life)
	defer end()
	return errors.Join(s.leavePages(leaving), err)
}

// onPhone waits until commands go to the phone, and keeps it so until free is called.
func (s *Session) onPhone(ctx context.Context) (free func(), err error) {
	for {
		s.gate.RLock()
		if s.context == "" {
			return s.gate.RUnlock, nil
		}
		s.gate.RUnlock()
		s.gate.Lock()
		err := s.leavePages(ctx)
		s.gate.Unlock()
		if err != nil {
			return nil, err
		}
	}
}

// choose has commands go to a context.
func (s *Session) choose(ctx context.Context, name string, limit time.Duration) error {
	return webdriver.Send(ctx, s.Lease.Session, webdriver.Command{Method: http.MethodPost, Path: "/context",
		Body: map[string]any{"name": name}, Limit: limit}, nil)
}

// leavePages has commands go to the phone. The choice of a context can be repeated when its answer was lost. The gate
// is locked.
func (s *Session) leavePages(ctx context.Context) (err error) {
	for attempt := 0; s.context != ""; attempt++ {
		err = s.choose(ctx, nativeContext, leaveLimit)
		if err == nil {
			s.context = ""
			break
		}
		if attempt == 1 || !webdriver.MayHaveHappened(err) || webdriver.Late(err) {
			s.Spoil()
			return s.explain(ctx, "leave a page", fmt.Errorf("%w: whether commands go to the phone or to a page of an app "+
				"is unknown: %w", drivers.ErrDeviceLost, err))
		}
	}
	return nil
}

// Do makes a call of the session in the page that was chosen last, of a server that closes dialogs when it is called.
func (p *Pages) Do(ctx context.Context, what string, call func(context.Context, *webdriver.Session) error) error {
	err := p.Call(ctx, what, call)
	if webdriver.Is(err, webdriver.AlertOpen) {
		p.session.Spoil()
		err = fmt.Errorf("%w: a dialog of the page opened in that moment, and the server has closed it: %w",
			drivers.ErrDeviceLost, err)
	}
	return err
}

// Call makes a call of the session in the page that was chosen last.
func (p *Pages) Call(ctx context.Context, what string, call func(context.Context, *webdriver.Session) error) error {
	return p.session.explain(ctx, what, call(ctx, p.session.Lease.Session))
}

// Mobile runs a command of the driver ("mobile: …").
func (p *Pages) Mobile(ctx context.Context, name string, args map[string]any, into any) error {
	return p.Do(ctx, "mobile: "+name, func(ctx context.Context, w *webdriver.Session) error {
		return w.Mobile(ctx, name, args, into, SlowLimit)
	})
}

// Enter has commands go to a page of a server of which each page is a context of its own. Whether its scripts can run
// is not known.
func (p *Pages) Enter(ctx context.Context, at Place) error {
	s := p.session
	if p.page == at.Context {
		return nil
	}
	p.page, s.context = "", at.Context
	err := s.choose(ctx, at.Context, enterLimit)
	if webdriver.Lost(err) && !webdriver.Late(err) && ctx.Err() == nil {
		err = s.choose(ctx, at.Context, enterLimit) // a choice can be repeated
	}
	if err = s.explain(ctx, "enter a page", p.hung(at, err)); err == nil {
		p.page = at.Context
	}
	return err
}

// Execute runs a script in the page that was entered last, which is to end within a limit. A server that waits longer
// than that takes no other command.
func (p *Pages) Execute(ctx context.Context, at Place, script string, into any, limit time.Duration) error {
	return p.Call(ctx, "a page of "+at.App, func(ctx context.Context, w *webdriver.Session) error {
		return p.hung(at, w.Execute(ctx, script, nil, into, limit))
	})
}

// hung is the error of a command for a page that the server does not end: the session cannot be used any more.
func (p *Pages) hung(at Place, err error) error {
	if !webdriver.Late(err) {
		return err
	}
	p.session.Spoil()
	return fmt.Errorf("%w: a page of %s does not respond: the server waits for it, and takes no other command: %w",
		drivers.ErrDeviceLost, at.App, err)
}

// Place is where a page is.
type Place struct {
	App     string // for messages
	Process string // in which it runs
	Context string // of the server, for all pages of the process
	Window  string
}

// ErrDialog says that a page has a dialog open. Until it is closed, a script would have the server close it.
var ErrDialog = errors.New("a dialog of the page is open")

// Choose has commands go to a page, once its scripts can run. While it has a dialog open, it returns an ErrDialog.
func (p *Pages) Choose(ctx context.Context, at Place) error {
	key := at.Context + "\n" + at.Window
	if p.page == key {
		return p.noDialog(ctx)
	}
	p.page = ""
	s := p.session
	if s.context != at.Context {
		s.context = at.Context
		if err := p.enter(ctx, at); err != nil {
			return err
		}
	}
	err := p.Do(ctx, "choose a page", func(ctx context.Context, w *webdriver.Session) error {
		return w.ChooseWindow(ctx, at.Window)
	})
	if err != nil {
		return err
	}
	if err := p.limitScripts(ctx, at); err != nil {
		return err
	}
	if err := p.responds(ctx, at); err != nil {
		return err
	}
	p.page = key
	return nil
}

// enter chooses a context.
func (p *Pages) enter(ctx context.Context, at Place) error {
	s := p.session
	err := s.choose(ctx, at.Context, enterLimit)
	if webdriver.Late(err) {
		err = p.hung(at, err)
	} else {
		err = remote.WithoutChromedriver(err, s.Remote, "the pages of "+at.App)
	}
	return s.explain(ctx, "enter a page", err)
}

// limitScripts limits the time of scripts in a page. The server closes a dialog when it enters a page, and starts the
// driver again that knew of it.
func (p *Pages) limitScripts(ctx context.Context, at Place) error {
	s := p.session
	command := webdriver.Command{Method: http.MethodGet, Path: "/timeouts"}
	var now struct{ Script int64 } // in milliseconds
	err := p.Do(ctx, "the limit of scripts", func(ctx context.Context, w *webdriver.Session) error {
		return webdriver.Send(ctx, w, command, &now)
	})
	if err != nil || now.Script == scriptLimit.Milliseconds() {
		return err
	}
	if s.entered[at.Process] {
		s.WarnOnce(fmt.Sprintf("the Appium server has connected again to the pages of %s: a dialog that one of them had "+
			"open is closed", at.App))
	}
	command.Method, command.Body = http.MethodPost, map[string]any{"script": scriptLimit.Milliseconds()}
	err = p.Do(ctx, "limit scripts", func(ctx context.Context, w *webdriver.Session) error {
		return webdriver.Send(ctx, w, command, nil)
	})
	if err == nil {
		if s.entered == nil {
			s.entered = map[string]bool{}
		}
		s.entered[at.Process] = true
	}
	return err
}

// responds waits until scripts can run in a page.
func (p *Pages) responds(ctx context.Context, at Place) error {
	for began := time.Now(); ; {
		if err := p.noDialog(ctx); err != nil {
			return err
		}
		err := p.Do(ctx, "a page of "+at.App, func(ctx context.Context, w *webdriver.Session) error {
			return w.Execute(ctx, "return 1", nil, nil, scriptLimit+leaveLimit)
		})
		if !webdriver.Is(err, webdriver.ScriptTimeout) {
			return err
		}
		if time.Since(began) > busyLimit {
			return fmt.Errorf("it did not answer within %v, and its scripts may be busy: %w", busyLimit, err)
		}
	}
}

// noDialog returns an ErrDialog while the page has a dialog open.
func (p *Pages) noDialog(ctx context.Context) error {
	var text string
	err := p.Do(ctx, "a dialog of the page", func(ctx context.Context, w *webdriver.Session) (err error) {
		text, err = w.AlertText(ctx)
		return err
	})
	switch {
	case err == nil:
		return fmt.Errorf("%w: %q", ErrDialog, text)
	case webdriver.Is(err, webdriver.NoSuchAlert):
		return nil
	}
	return err
}
