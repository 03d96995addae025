package webview

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// Edit is a change of what a field holds, at its end.
type Edit struct {
	Erase int    // so many characters; < 0: all
	Text  string // is added then
}

// editFunction changes what a field with the focus holds, as one change of the user: the page gets the events of input,
// and none of keys.
const editFunction = `function(command, erase, text) {
	if (!document.defaultView || typeof this.query !== 'function') return null;
	const el = this.query(document, command);
	let active = document.activeElement;
	while (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement;
	if (!el || el !== active) return {result: 'focus'};
	const rich = el.isContentEditable, run = (what, value) => document.execCommand(what, false, value);
	if (!rich && (typeof el.value !== 'string' || el.readOnly || el.disabled)) return {result: 'refused'};
	const newLines = rich || el.localName === 'textarea';
	if (/[\u0000-\u001f\u007f]/.test(newLines ? text.replaceAll('\n', '') : text)) return {result: 'keys'};
	const was = rich ? el.innerText : el.value, chars = Array.from(was);
	const left = erase < 0 ? 0 : Math.max(0, chars.length - erase), kept = chars.slice(0, left).join('');
	let done = true;
	if (rich) {
		const selection = getSelection();
		selection.selectAllChildren(el);
		if (left && erase) {
			selection.collapseToEnd();
			for (let n = erase; n > 0; n--) done = run('delete') && done;
		} else if (erase && was) done = run('delete');
		if (text) { selection.selectAllChildren(el); selection.collapseToEnd(); done = run('insertText', text) && done; }
	} else {
		let all = false;
		try { el.setSelectionRange(kept.length, was.length); } catch { el.select(); all = true; }
		const value = all ? kept + text : text;
		if (value) done = run('insertText', value);
		else if (was !== kept) done = run('delete');
	}
	return {result: done ? 'done' : 'refused'};
}`

// Edit changes what a field of a page holds that has the focus, once: one with a lost answer may have happened.
func (w *Views) Edit(ctx context.Context, n *screen.Node, e Edit) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	gen, path, err := dom.ParseRef(n.Ref)
	if err != nil {
		return err
	}
	page := w.owners[gen]
	if page == nil {
		return fmt.Errorf("device %s: %w: the page has been left", w.link.ID, drivers.ErrNotActionable)
	}
	last := len(path) - 1
	chain, command := dom.Chains(gen, path)[last], fmt.Sprintf("ref.%s.%d", gen, path[last])
	asking, cancel := context.WithTimeoutCause(ctx, w.source.Traits().Ask, ErrSilent)
	defer cancel()
	var answer *struct{ Result string }
	err = w.source.Use(asking, func(ctx context.Context) error {
		page.ctx = ctx
		script, err := page.script(chain)
		if err != nil {
			return fmt.Errorf("device %s: %w: the page in the WebView changed: %w", w.link.ID, drivers.ErrNotActionable, err)
		}
		value, err := page.session.CallOn(ctx, script, editFunction, command, e.Erase, e.Text)
		if err != nil {
			return err
		}
		return json.Unmarshal(value, &answer)
	})
	switch {
	case err != nil:
		return err
	case answer == nil:
		return fmt.Errorf("device %s: %w: %w", w.link.ID, drivers.ErrNotActionable, errStale)
	}
	switch why := answer.Result; why {
	case "done":
		return nil
	case "focus":
		return fmt.Errorf("device %s: %w: %s has lost the focus", w.link.ID, drivers.ErrNotActionable, n)
	case "keys":
		return fmt.Errorf("device %s: %w: accessibility has nothing of %s, so that no keys such as Enter reach it",
			w.link.ID, drivers.ErrUnsupported, n)
	}
	return fmt.Errorf("device %s: %w: %s takes no text", w.link.ID, drivers.ErrNotActionable, n)
}
