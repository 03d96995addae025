package webview

import (
	"context"
	"encoding/json"
	"fmt"
	"image"

	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// webNode is an element of the page as accessibility services see it; its bounds are CSS pixels of the WebView.
type webNode struct {
	Kind, Text, Hint, ID       string
	X, Y, Width, Height        float64
	Clickable, Checkable       bool
	Checked, Disabled, Focused bool
	Password                   bool
}

// nodesScript lists the elements that have a text or are controls, in the order of the document. Each is an element of
// its own: what is around them has no node, as in Chromium's tree for phones.
const nodesScript = `
const listed = () => {
	const kinds = {BUTTON: 'button', A: 'link', TEXTAREA: 'edit', SELECT: 'select', IMG: 'image'};
	const inputs = {checkbox: 'check', radio: 'radio', submit: 'button', button: 'button', reset: 'button', hidden: ''};
	const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
	return [...document.body.querySelectorAll('*')].filter(e => ` +
	`!e.parentElement.closest('button,a,select,[role=button]')).map(e => {
		let kind = kinds[e.tagName] || '';
		if (e.tagName === 'INPUT') kind = e.type in inputs ? inputs[e.type] : 'edit';
		if (e.isContentEditable && !e.parentElement.isContentEditable) kind = 'edit';
		if (e.getAttribute('role') === 'button') kind = 'button';
		return [e, kind || (own(e) && !/^(SCRIPT|STYLE|OPTION)$/.test(e.tagName) ? 'text' : '')];
	}).filter(([e, kind]) => kind && !e.closest('[aria-hidden=true]') && e.checkVisibility({visibilityProperty: ` +
	`true})).slice(0, 500);
};`

const readScript = `(() => {` + nodesScript + `
	const view = window.visualViewport, scale = view.scale;
	const label = e => e.getAttribute('aria-label') || (e.labels && e.labels[0] ? e.labels[0].innerText : '') || ` +
	`e.placeholder || '';
	return {title: document.title, nodes: listed().map(([e, kind]) => {
		const r = e.getBoundingClientRect(), edit = kind === 'edit', password = e.type === 'password';
		let text = e.getAttribute('aria-label') || e.innerText || e.alt || '';
		if (kind === 'select') text = e.selectedOptions[0] ? e.selectedOptions[0].text : '';
		if (e.tagName === 'INPUT') text = edit || kind === 'button' ? e.value : label(e);
		if (e.tagName === 'TEXTAREA') text = e.value;
		return {Kind: kind, Text: password ? '•'.repeat(text.length) : text, Hint: edit ? label(e) : '', ID: e.id, ` +
	`Password: password,
			X: (r.x - view.offsetLeft) * scale, Y: (r.y - view.offsetTop) * scale, Width: r.width * scale, Height: r.height * ` +
	`scale,
			Clickable: kind !== 'text' && kind !== 'image' || !!e.onclick, Checkable: kind === 'check' || kind === 'radio',
			Checked: !!e.checked, Disabled: !!e.disabled, Focused: document.activeElement === e};
	})};
})()`

// hear renews the nodes. The first read only switches the page's accessibility on: what it sees is a WebView without
// children.
func (t *webTab) hear(ctx context.Context) {
	t.mu.Lock()
	first := !t.readsNodes
	t.readsNodes = true
	t.mu.Unlock()
	if first {
		return
	}
	var got struct {
		Title string
		Nodes []webNode
	}
	if t.eval(ctx, readScript, &got) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.title, t.nodes = got.Title, got.Nodes
}

// view is a virtual child of the WebView; what of it is outside of the view is not shown.
func (n webNode) view(t *webTab, index int, in image.Rectangle, ratio float64) *ui.View {
	px := func(css float64) int { return int(css*ratio + 0.5) }
	b := image.Rect(px(n.X), px(n.Y), px(n.X+n.Width), px(n.Y+n.Height)).Add(in.Min)
	v := &ui.View{
		Class: webClass(n.Kind), Text: n.Text, Hint: n.Hint, ID: n.ID, B: b.Intersect(in), NotShown: !b.Overlaps(in),
		Clickable: n.Clickable,
		Virtual:   true, Focusable: n.Clickable, Checkable: n.Checkable, Checked: n.Checked, Disabled: n.Disabled,
		Focused: n.Focused, Password: n.Password,
	}
	if n.Kind == "edit" {
		v.SetText = func(text string) { t.fill(index, text) }
	}
	return v
}

func webClass(kind string) string {
	switch kind {
	case "button":
		return ui.ClassButton
	case "edit":
		return ui.ClassEdit
	case "select":
		return "android.widget.Spinner"
	case "check":
		return "android.widget.CheckBox"
	case "radio":
		return "android.widget.RadioButton"
	case "image":
		return "android.widget.Image"
	case "text":
		return ui.ClassText
	}
	return "android.view.View"
}

// fill sets the text of a field at once, as accessibility services do.
func (t *webTab) fill(index int, text string) {
	value, err := json.Marshal(text)
	if err != nil {
		return // every string can be
	}
	script := fmt.Sprintf(
		"(() => {%s\nconst [e] = listed()[%d]; e.focus(); e[e.isContentEditable ? 'innerText' : 'value'] = %s;\n"+
			"e.dispatchEvent(new Event('input', {bubbles: true})); })()", nodesScript, index, value)
	t.later(func(ctx context.Context) { _ = t.eval(ctx, script, nil) })
}
