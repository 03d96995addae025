package webkit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

const (
	// arrivePoll is the time between two looks whether a document is there, arriveLimit is how long it may take.
	arrivePoll  = 10 * time.Millisecond
	arriveLimit = 15 * time.Second
	// dataPage is a page of MiniBrowser: what sites keep, by kinds and names of hosts.
	dataPage = "minibrowser-about:data"
)

// aside is a window of Taproot's own. It shows empty pages of any site, which Taproot responds with: nothing is
// requested from the site.
type aside struct {
	on *instance
	in *inspected
	// inside: commands go to the frame in the page.
	inside bool

	mu     sync.Mutex
	title  string // of the documents
	framed string // the URL of a frame in the page; "": there is none
}

// aside opens a window, calls f with it, and closes it. The window that commands go to is the same one afterwards.
func (on *instance) aside(ctx context.Context, f func(w *aside) error) (err error) {
	before, err := on.session.Window(ctx)
	if err != nil && !webdriver.Is(err, webdriver.NoSuchWindow) { // the last one was closed
		return err
	}
	handle, err := on.session.NewWindow(ctx)
	if err != nil {
		return err
	}
	on.mu.Lock()
	id := max(on.attached, 1) + on.others + 2 // 2 is the session
	on.others++
	on.mu.Unlock()
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
		defer cancel()
		err = errors.Join(err, on.session.ChooseWindow(ctx, handle), on.session.CloseWindow(ctx))
		if before != "" {
			err = errors.Join(err, on.session.ChooseWindow(ctx, before))
		}
	}()
	w := &aside{on: on}
	if w.in, err = on.connect(ctx, id); err != nil {
		return err
	}
	defer w.in.Close()
	if err := w.prepare(ctx, handle); err != nil {
		return err
	}
	return f(w)
}

// prepare has Taproot respond to the requests of the window.
func (w *aside) prepare(ctx context.Context, handle string) error {
	if err := w.on.session.ChooseWindow(ctx, handle); err != nil {
		return err
	}
	title := rand.Text()
	if err := w.on.session.Execute(ctx, "document.title = arguments[0]", []any{title}, nil, callLimit); err != nil {
		return err
	}
	var answer struct{ Result struct{ Value string } }
	err := w.in.call(ctx, "Runtime.evaluate", map[string]any{"expression": "document.title"}, &answer)
	if err != nil {
		return inspectorError(err)
	}
	if answer.Result.Value != title {
		return fmt.Errorf("%w: the page opened a window in the moment in which Taproot opened one: try again",
			drivers.ErrNotReady)
	}
	w.in.mu.Lock()
	w.in.answers = w.respond
	w.in.mu.Unlock()
	return w.in.stop(ctx)
}

// respond is called for each request of the window.
func (w *aside) respond(id, address string) {
	w.mu.Lock()
	title, framed := w.title, w.framed
	w.mu.Unlock()
	body := "<!doctype html><link rel=icon href='data:,'><title>" + title + "</title>"
	if framed != "" && address != framed {
		body += "<iframe src='" + html.EscapeString(framed) + "'></iframe>"
	}
	go func() {
		ctx, cancel := context.WithTimeout(w.in.life, callLimit)
		defer cancel()
		_ = w.in.Fulfil(ctx, id, classic.Answer{Status: http.StatusOK, Body: []byte(body),
			Headers: map[string]string{"content-type": "text/html"}}) // the document does not come then
	}()
}

// visit goes to an empty page of a site; framed: the URL of a frame in it.
func (w *aside) visit(ctx context.Context, address, framed string) error {
	if err := w.leave(ctx); err != nil {
		return err
	}
	title := rand.Text()
	w.mu.Lock()
	w.title, w.framed = title, framed
	w.mu.Unlock()
	if err := w.on.session.Go(ctx, address); err != nil {
		return fmt.Errorf("%w: the site %s cannot be opened: %w", drivers.ErrPage, address, err)
	}
	if err := w.arrives(ctx, title); err != nil || framed == "" {
		return err
	}
	w.inside = true
	if err := w.on.session.EnterFrameAt(ctx, 0); err != nil {
		return err
	}
	return w.arrives(ctx, title)
}

// leave has commands go to the page itself.
func (w *aside) leave(ctx context.Context) error {
	if !w.inside {
		return nil
	}
	w.inside = false
	return w.on.session.LeaveFrames(ctx)
}

// arrives waits for a document with a title.
func (w *aside) arrives(ctx context.Context, title string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, arriveLimit, errors.New("the empty page in its place does not come: a "+
		"service worker of the site may respond"))
	defer cancel()
	var at struct {
		Title, Ready, URL string
	}
	const where = "return {Title: document.title, Ready: document.readyState, URL: location.href}"
	for at.Title != title || at.Ready != "complete" {
		if err := w.on.session.Execute(ctx, where, nil, &at, callLimit); err != nil && ctx.Err() == nil &&
			!webdriver.PageChanged(err) {
			return err
		}
		if drivers.Pause(ctx, arrivePoll) != nil {
			return fmt.Errorf("%w: %s: %w", drivers.ErrNotReady, at.URL, context.Cause(ctx))
		}
	}
	return nil
}

// goTo changes the path of the URL of the page, without a request.
func (w *aside) goTo(ctx context.Context, folder string) error {
	u := url.URL{Path: strings.TrimSuffix(folder, "/") + "/"}
	const script = "history.replaceState(null, '', arguments[0])"
	return w.on.session.Execute(ctx, script, []any{u.EscapedPath()}, nil, callLimit)
}

// keeps is what the browser says sites keep in it: the names of hosts or their domains, by kinds.
type keeps map[string][]string

// readKeeps reads the page of MiniBrowser.
const readKeeps = `const of = {};
for (const h of document.querySelectorAll('h1')) {
	const names = [...h.nextElementSibling?.rows ?? []].map(r => r.cells.length > 1 ? r.cells[0].textContent : '');
	of[h.textContent] = names.filter(Boolean);
}
return of;`

// clearKept clicks the button that removes all of a kind. The page loads again afterwards.
const clearKept = `const head = [...document.querySelectorAll('h1')].find(h => h.textContent === arguments[0]);
document.title = arguments[1];
[...head.nextElementSibling.querySelectorAll('input')].at(-1).click();`

// kept opens the page of MiniBrowser, and returns what sites keep.
func (w *aside) kept(ctx context.Context) (keeps, error) {
	if err := errors.Join(w.leave(ctx), w.on.session.Go(ctx, dataPage)); err != nil {
		return nil, err
	}
	return w.list(ctx, func(title string) bool { return title == "" })
}

// list reads the page of MiniBrowser once its title is a right one.
func (w *aside) list(ctx context.Context, right func(title string) bool) (keeps, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, arriveLimit, errors.New("MiniBrowser does not list it"))
	defer cancel()
	var at []string
	const where = "return [location.href, document.readyState, document.title, String(!!document.body)]"
	for len(at) != 4 || at[0] != dataPage || at[1] != "complete" || at[3] != "true" || !right(at[2]) {
		if err := w.on.session.Execute(ctx, where, nil, &at, callLimit); err != nil && ctx.Err() == nil &&
			!webdriver.PageChanged(err) {
			return nil, err
		}
		if drivers.Pause(ctx, arrivePoll) != nil {
			return nil, fmt.Errorf("%w: what sites keep in the browser is not known: %w", drivers.ErrNotReady,
				context.Cause(ctx))
		}
	}
	list := keeps{}
	return list, w.on.session.Execute(ctx, readKeeps, nil, &list, callLimit)
}

// has reports whether something of a kind is there for a host.
func (k keeps) has(kind, host string) bool {
	return slices.ContainsFunc(k[kind], func(name string) bool { return belongs(host, name) })
}

// belongs reports whether a host is one of a domain.
func belongs(host, domain string) bool {
	host = strings.Trim(host, "[]")
	return host == domain || strings.HasSuffix(host, "."+domain)
}
