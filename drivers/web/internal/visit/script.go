package visit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/internal/source"
)

// Scripts runs scripts in the current page.
type Scripts struct{ slot *pages.Slot }

// NewScripts runs scripts in the current page of a slot.
func NewScripts(slot *pages.Slot) *Scripts { return &Scripts{slot: slot} }

// Eval runs an expression or a function in the page. When it does not end in time, it is left alone: it ends with its
// page.
func (sc *Scripts) Eval(ctx context.Context, script string, timeout time.Duration) (any, error) {
	s, page, err := sc.slot.Page()
	if err != nil {
		return nil, err
	}
	if _, err := s.Dialogs.Settle(ctx, false, ""); err != nil {
		return nil, err
	}
	defer s.Dialogs.Refusing()()
	s.Traffic.Mark()
	done := pages.Start(sc.slot, func() (any, error) { return evaluate(page, script) })
	timer := time.NewTimer(pages.Wait(timeout))
	defer timer.Stop()
	select {
	case r := <-done:
		return r.Value, s.Explain(r.Err)
	case <-timer.C:
		return nil, &drivers.ScriptError{Reason: fmt.Sprintf("it did not end within %s", pages.Wait(timeout))}
	case <-s.Browser.Lost:
		return nil, s.Browser.LostError()
	case <-s.Crash:
		return nil, s.Browser.CrashError()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// identifyLimit bounds the question what the page is: one that hangs must not hold the test up.
const identifyLimit = time.Second

// identifyScript reads the title of the page and the meta elements by which builds are commonly marked.
const identifyScript = `() => {
  const meta = document.querySelector(['version', 'app-version', 'build', 'revision', 'commit', 'git-commit'].map(n ` +
	`=> 'meta[name="' + n + '" i]').join(','));
  return [location.origin === 'null' ? location.protocol + '//' : location.origin, document.title.slice(0, 200), ` +
	`meta ? meta.content.slice(0, 100) : ''];
}`

// Identify queries the open page for its title and its version.
func (sc *Scripts) Identify(ctx context.Context) (*drivers.Identity, error) {
	value, err := sc.Eval(ctx, identifyScript, identifyLimit)
	if errors.Is(err, drivers.ErrPage) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	id, texts := &drivers.Identity{}, [3]string{}
	if list, ok := value.([]any); ok && len(list) == len(texts) {
		for i := range texts {
			texts[i], _ = list[i].(string) // what is not a text is unknown
		}
	}
	id.ID, id.Title, id.Version = texts[0], texts[1], texts[2]
	return id, nil
}

// maxValue caps what a script may give, as JSON.
const maxValue = 1 << 20

func evaluate(page playwright.Page, script string) (any, error) {
	handle, err := page.EvaluateHandle(script)
	if err == nil {
		var text any
		text, err = handle.Evaluate(`(value, max) => {
			const exact = v => JSON.rawJSON ? JSON.rawJSON(String(v)) : String(v);
			const text = JSON.stringify(value, (key, v) => typeof v === 'bigint' ? exact(v) : v);
			return text === undefined ? null : text.length > max ? '' : text;
		}`, maxValue)
		if err == nil {
			_ = handle.Dispose() // it goes with the page otherwise
			return scriptValue(text)
		}
	}
	if browser.Disconnected(err) || browser.Passing(err) {
		return nil, err
	}
	reason := browser.Plain(err)
	for _, prefix := range []string{"Error: ", "page.evaluate: "} {
		reason = strings.TrimPrefix(reason, prefix)
	}
	return nil, &drivers.ScriptError{Reason: reason}
}

// scriptValue decodes what a script returned: whole numbers become ints, so that they are written as they were read.
func scriptValue(text any) (any, error) {
	s, ok := text.(string)
	switch {
	case text == nil:
		return nil, nil
	case !ok || s == "" || len(s) > 4*maxValue:
		return nil, &drivers.ScriptError{Reason: fmt.Sprintf("its value is larger than %d MB", maxValue>>20)}
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(s)))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, &drivers.ScriptError{Reason: "its value is not JSON"}
	}
	return plainNumbers(v), nil
}

func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			return source.NumberOf(v.String())
		}
		f, _ := v.Float64() // too large becomes infinite, as in the page
		return f
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	}
	return v
}
