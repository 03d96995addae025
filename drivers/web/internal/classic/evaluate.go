package classic

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// askScript calls a command of script/page.js; null: the document is without it.
const askScript = `const own = document[arguments[0]]; return own ? own.do(arguments[1], arguments[2]) : null;`

const elementScript = `const own = document[arguments[0]]; return own ? own.element() : null;`

// runScript runs a script of the caller's, which is a part of it: a page may forbid to make scripts of texts.
const runScript = `const own = document[arguments[0]];
return own ? own.run(arguments[1], () => (
%s
)) : null;`

// errMangled says that a page changes how values are passed.
var errMangled = fmt.Errorf("%w: the page changes how scripts return values", drivers.ErrNotReady)

// ask calls a command of script/page.js in the chosen frame, which is installed where it is missing.
func (p *Page) ask(ctx context.Context, command string, argument, into any) error {
	text, err := p.execute(ctx, askScript, command, argument)
	if err != nil {
		return err
	}
	raw, err := p.unwrap(text)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return errMangled
	}
	return nil
}

// execute runs one of the scripts above and returns its text.
func (p *Page) execute(ctx context.Context, script string, args ...any) (text string, err error) {
	c := p.context
	for attempt := 0; ; attempt++ {
		var answer *string
		err := c.command(ctx, func() error {
			return c.script(ctx, script, append([]any{c.name}, args...), &answer, evalLimit)
		})
		switch {
		case err != nil && !webdriver.Is(err, webdriver.ScriptFailed) && webdriver.MayHaveHappened(err) && answer == nil &&
			!webdriver.Late(err) && strings.Contains(err.Error(), "another form"):
			return "", errMangled
		case err != nil:
			return "", err
		case answer != nil:
			return *answer, nil
		case attempt == 3:
			//lint:ignore ST1005 Playwright's words, for browser.Passing
			return "", fmt.Errorf("Execution context was destroyed: the page does not keep the script")
		}
		if err := p.install(ctx); err != nil {
			return "", err
		}
	}
}

// install puts script/page.js into the document.
func (p *Page) install(ctx context.Context) error {
	c := p.context
	script := "const name = arguments[0]; if (!document[name]) (\n" + c.browser.script + "\n)(name);"
	err := c.command(ctx, func() error { return c.script(ctx, script, []any{c.name}, nil, callLimit) })
	if webdriver.Is(err, webdriver.ScriptFailed) {
		//lint:ignore ST1005 Playwright's words, for browser.Passing
		return fmt.Errorf("Execution context was destroyed: %w", err)
	}
	return err
}

// unwrap takes the value out of an answer of script/page.js.
func (p *Page) unwrap(text string) (json.RawMessage, error) {
	rest, ok := strings.CutPrefix(text, p.context.name)
	var answer struct {
		V json.RawMessage
		E *string
	}
	switch {
	case !ok || json.Unmarshal([]byte(rest), &answer) != nil:
		return nil, errMangled
	case answer.E != nil:
		return nil, thrown(*answer.E)
	}
	return answer.V, nil
}

// thrown is an error of a script, as Playwright would report it.
func thrown(text string) error {
	return &playwright.Error{Name: "Error", Message: text, Stack: ""}
}

// element returns the reference of the element that a command of script/page.js has left.
func (p *Page) element(ctx context.Context) (e webdriver.Element, err error) {
	c := p.context
	err = c.command(ctx, func() error {
		return c.session.Execute(ctx, elementScript, []any{c.name}, &e, callLimit)
	})
	return e, err
}

// run is how a script of the caller's is run.
type run struct {
	Selector *string `json:"selector,omitempty"`
	Handle   int     `json:"handle,omitempty"`
	Argument any     `json:"argument"`
	Keep     bool    `json:"keep,omitempty"`
}

// errNone says that a selector picks nothing.
var errNone = fmt.Errorf("%w: nothing matches", playwright.ErrTimeout)

// run runs a script in the chosen frame: a function, which is called, or an expression.
func (p *Page) run(ctx context.Context, expression string, how run) (any, error) {
	text, err := p.execute(ctx, fmt.Sprintf(runScript, strings.TrimRight(strings.TrimSpace(expression), ";")), how)
	if webdriver.Is(err, webdriver.ScriptFailed) { // it is not an expression
		literal, failed := json.Marshal(expression)
		if failed != nil {
			return nil, failed
		}
		text, err = p.execute(ctx, fmt.Sprintf(runScript, "(0, eval)("+string(literal)+")"), how)
	}
	if err != nil {
		return nil, err
	}
	if err := p.context.settle(ctx); err != nil {
		return nil, err
	}
	raw, err := p.unwrap(text)
	if err != nil {
		return nil, err
	}
	var answer struct {
		R     string
		Value any
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, errMangled
	}
	if answer.R == "none" {
		return nil, errNone
	}
	return answer.Value, nil
}

// settle is called when something was done that may have opened a dialog or a window.
func (c *Context) settle(ctx context.Context) error {
	if err := c.meet(ctx); err != nil {
		return err
	}
	return c.survey(ctx, true)
}

// Evaluate runs a script in the page and returns its value.
func (p *Page) Evaluate(expression string, arg ...any) (value any, err error) {
	err = p.context.do(p, evalLimit, func(ctx context.Context) error {
		value, err = p.run(ctx, expression, run{Argument: first(arg)})
		return err
	})
	return value, err
}

// EvaluateHandle runs a script in the page and keeps its value there.
func (p *Page) EvaluateHandle(expression string, arg ...any) (playwright.JSHandle, error) {
	return p.handleOf(expression, run{Argument: first(arg), Keep: true}, nil)
}

func (p *Page) handleOf(expression string, how run, chunks []string) (playwright.JSHandle, error) {
	h := &Handle{page: p, chunks: chunks}
	err := p.context.do(p, evalLimit, func(ctx context.Context) error {
		if err := p.enter(ctx, chunks); err != nil {
			return err
		}
		value, err := p.run(ctx, expression, how)
		number, _ := value.(float64)
		h.number = int(number)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Handle is a value that is kept in a page.
type Handle struct {
	playwright.JSHandle
	page   *Page
	chunks []string // selectors of the frames around it
	number int
}

// Evaluate calls a function with the value.
func (h *Handle) Evaluate(expression string, arg ...any) (value any, err error) {
	err = h.page.context.do(h.page, evalLimit, func(ctx context.Context) error {
		if err := h.page.enter(ctx, h.chunks); err != nil {
			return err
		}
		value, err = h.page.run(ctx, expression, run{Handle: h.number, Argument: first(arg)})
		return err
	})
	return value, err
}

// Dispose lets the value go.
func (h *Handle) Dispose() error {
	return h.page.context.do(h.page, callLimit, func(ctx context.Context) error {
		if err := h.page.enter(ctx, h.chunks); err != nil {
			return err
		}
		var nothing struct{}
		return h.page.ask(ctx, "release", h.number, &nothing)
	})
}

// enterFrame separates the selectors of frames from those of what is in them.
const enterFrame = " >> internal:control=enter-frame >> "

// enter chooses the frame that selectors lead to, from outside in. The error is errNone where one is missing.
func (p *Page) enter(ctx context.Context, chunks []string) error {
	for _, selector := range chunks {
		var there struct {
			R     string
			Frame bool
			Place int
			What  string
		}
		if err := p.ask(ctx, "frame", selector, &there); err != nil {
			return err
		}
		switch {
		case there.R == "none":
			return errNone
		case !there.Frame:
			return thrown(fmt.Sprintf("Selector %q resolved to %s, <iframe> was expected", selector, there.What))
		}
		if err := enterFound(ctx, p, there.Place); err != nil {
			return err
		}
	}
	return nil
}

// enterFound chooses the frame that a command of script/page.js has left, by its place unless that is negative.
func enterFound(ctx context.Context, p *Page, place int) error {
	c := p.context
	if place >= 0 {
		return c.enterFrame(ctx, p, func() error { return c.session.EnterFrameAt(ctx, place) })
	}
	frame, err := p.element(ctx)
	if err != nil {
		return err
	}
	return c.enterFrame(ctx, p, func() error { return c.session.EnterFrame(ctx, frame) })
}

// enterFrame chooses a frame in the one that is chosen. Where that moves the focus, it notes which frame had it.
func (c *Context) enterFrame(ctx context.Context, p *Page, enter func() error) error {
	if !c.framed && c.browser.traits.MovesFocus {
		var at struct{ Path []int }
		if err := p.ask(ctx, "focused", nil, &at); err != nil {
			return err
		}
		c.focus = at.Path
	}
	c.framed = true
	return c.command(ctx, enter)
}

// leaveFrames chooses the page itself again, and returns the focus to what had it.
func (c *Context) leaveFrames(ctx context.Context) error {
	if !c.framed {
		return nil
	}
	if err := c.command(ctx, func() error { return c.session.LeaveFrames(ctx) }); err != nil {
		return err
	}
	path := c.focus
	c.framed, c.focus = false, nil
	if c.browser.traits.MovesFocus {
		var nothing struct{}
		_ = (&Page{context: c}).ask(ctx, "refocus", path, &nothing) // the page was replaced: nothing of it has the focus
	}
	return nil
}

// pause waits between two attempts, as Playwright does.
func pause(ctx context.Context, attempt int) error {
	waits := []time.Duration{0, 20, 50, 100, 100, 500}
	return drivers.Pause(ctx, waits[min(attempt, len(waits)-1)]*time.Millisecond)
}
