package iossim

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"iter"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/screenpng"
)

// all2 goes through the view and what is in it.
func (v *view) all2() iter.Seq[*view] {
	return func(yield func(*view) bool) { v.all(yield) }
}

// source writes XML as WebDriverAgentLib/Utilities/FBXPath.m does: what the attributes are, in which order, and which
// elements have them.
func (d *Device) source(r request) (any, error) {
	owner, windows, err := d.active()
	if err != nil {
		return nil, err
	}
	m := d.metrics()
	x := sourceWriter{old: d.opts.OldAgent, pid: d.pidOf(owner), m: m, at: d.opts.Part.Min, skip: map[string]bool{}}
	for name := range strings.SplitSeq(r.URL.Query().Get("excluded_attributes"), ",") {
		x.skip[name] = !d.opts.OldAgent
	}
	x.depth, _ = d.settings["snapshotMaxDepth"].(float64)
	if x.depth == 0 {
		x.depth = 50
	}
	x.depth = min(x.depth, 62) // Apple's own limit
	root := &view{kind: "Application", id: d.nameOf(owner), label: d.nameOf(owner), b: image.Rectangle{Max: m.size}}
	for _, w := range windows {
		root.add(d.window().add(w))
	}
	x.b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	x.element(root, 0, 0, owner)
	return x.b.String(), nil
}

// window is what UIKit puts around all that an app shows; without children.
func (d *Device) window() *view {
	return &view{kind: "Window", b: image.Rectangle{Max: d.metrics().size}}
}

func (d *Device) pidOf(bundle string) int {
	if a := d.apps[bundle]; a != nil {
		return a.pid
	}
	return 61 // SpringBoard's
}

func (d *Device) nameOf(bundle string) string {
	if a := d.apps[bundle]; a != nil {
		return a.name
	}
	return " "
}

// sourceWriter writes elements.
type sourceWriter struct {
	b     strings.Builder
	old   bool
	pid   int
	m     metrics
	at    image.Point // where the app is on the screen
	depth float64
	skip  map[string]bool
}

func (x *sourceWriter) element(v *view, index, level int, bundle string) {
	pad := strings.Repeat("  ", level)
	name := v.id
	if name == "" {
		name = v.label
	}
	visible := !v.unseen && v.b.Overlaps(image.Rectangle{Max: x.m.size})
	attributes := [][2]string{{"type", "XCUIElementType" + v.kind}, {"value", x.value(v)}, {"name", name},
		{"label", v.label}, {"enabled", fmt.Sprint(!v.disabled)},
		{"visible", fmt.Sprint(visible)}, {"accessible", fmt.Sprint(v.label != "" && len(v.children) == 0)},
		{"x", fmt.Sprint(v.b.Min.X + x.at.X)}, {"y", fmt.Sprint(v.b.Min.Y + x.at.Y)},
		{"width", fmt.Sprint(v.b.Dx())}, {"height", fmt.Sprint(v.b.Dy())}, {"index", fmt.Sprint(index)}}
	if !x.old {
		if v.field != nil {
			attributes = append(attributes, [2]string{"placeholderValue", v.placeholder})
		}
		attributes = append(attributes, [2]string{"traits", strings.Join(v.traits, ", ")})
	}
	if v.kind == "Application" {
		attributes = append(attributes, [2]string{"processId", fmt.Sprint(x.pid)}, [2]string{"bundleId", bundle})
	}
	fmt.Fprintf(&x.b, "%s<XCUIElementType%s", pad, v.kind)
	for _, a := range attributes {
		required := a[0] == "type" || a[0] == "label" && v.field != nil || a[0] == "traits" || a[0] == "placeholderValue"
		if a[1] != "" && !x.skip[a[0]] || required {
			fmt.Fprintf(&x.b, ` %s="%s"`, a[0], escaped(a[1]))
		}
	}
	if len(v.children) == 0 || float64(level+1) >= x.depth {
		x.b.WriteString("/>\n")
		return
	}
	x.b.WriteString(">\n")
	for i, c := range v.children {
		x.element(c, i, level+1, bundle)
	}
	fmt.Fprintf(&x.b, "%s</XCUIElementType%s>\n", pad, v.kind)
}

// value is FBXCElementSnapshotWrapper.wdValue: an empty field has its placeholder.
func (x *sourceWriter) value(v *view) string {
	if v.field != nil && v.value == "" {
		return v.placeholder
	}
	return cutValue(v.value)
}

// cutValue: a source has 512 bytes of a value.
func cutValue(value string) string {
	if len(value) <= 512 {
		return value
	}
	return strings.ToValidUTF8(value[:512], "")
}

// escapes is made once: to make it takes longer than to use it.
var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;")

func escaped(s string) string { return escapes.Replace(s) }

// shot is a screenshot and the response that holds it: the next screenshot is mostly the same.
type shot struct {
	img    *image.RGBA
	answer string
}

func (s shot) shows(img *image.RGBA) bool {
	return s.img != nil && s.img.Rect == img.Rect && bytes.Equal(s.img.Pix, img.Pix)
}

// screenshot draws everything; the lock is held.
func (d *Device) screenshot(request) (any, error) {
	img, err := d.render()
	if err != nil {
		return nil, &wdError{"unable to capture screen", err.Error()}
	}
	if d.shot.shows(img) {
		return d.shot.answer, nil
	}
	var b bytes.Buffer
	if err := screenpng.Encode(&b, img); err != nil {
		return nil, &wdError{"unable to capture screen", err.Error()}
	}
	d.shot = shot{img, base64.StdEncoding.EncodeToString(b.Bytes())}
	return d.shot.answer, nil
}

// render returns the screen in pixels; the lock is held.
func (d *Device) render() (*image.RGBA, error) {
	c, err := newCanvas(d.whole(), d.opts.Scale)
	if err != nil {
		return nil, err
	}
	d.pictured = true
	_, windows := d.screen()
	d.pictured = false
	for _, w := range windows {
		c.moved(w, d.focus, d.opts.Part.Min)
	}
	c.drawBars(d)
	if !d.opts.PortraitPictures {
		return c.img, nil
	}
	return d.asBuilt(c.img), nil
}

// builtIn is the screen as it is built into the phone; the lock is held.
func (d *Device) builtIn() (*image.RGBA, error) {
	img, err := d.render()
	if err != nil || d.opts.PortraitPictures {
		return img, err
	}
	return d.asBuilt(img), nil
}

// asBuilt rotates what an app in landscape shows.
func (d *Device) asBuilt(img *image.RGBA) *image.RGBA {
	if !d.wide {
		return img
	}
	b := img.Bounds() // the phone is turned to its left: its upper edge is the left one of what it shows
	out := image.NewRGBA(image.Rect(0, 0, b.Dy(), b.Dx()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.SetRGBA(b.Dy()-1-y, x, img.RGBAAt(x, y))
		}
	}
	return out
}

// elementIn finds an element of the screen again; elements are remembered as views of earlier frames.
func (d *Device) elementIn(id string) (*view, error) {
	old := d.elements[id]
	if old == nil {
		return nil, &wdError{"no such element",
			fmt.Sprintf("The element identified by \"%s\" is either not present or it has expired from the internal cache.", id)}
	}
	_, windows, err := d.active()
	if err != nil {
		return nil, err
	}
	if frame := d.window(); frame.same(old) {
		return frame, nil
	}
	for _, w := range windows {
		for v := range w.all2() {
			if v.kind == old.kind && v.id == old.id && v.field == old.field && (v.field != nil || v.label == old.label &&
				v.b == old.b) {
				return v, nil
			}
		}
	}
	return nil, &wdError{"stale element reference",
		fmt.Sprintf("The previously found element \"%s\" is not present in the current view anymore.", old.kind)}
}

// found remembers an element and describes it as FBDictionaryResponseWithElement does.
func (d *Device) found(v *view) any {
	id := fmt.Sprintf("%02X000000-0000-0000-0F12-000000000000", len(d.elements)+1)
	d.elements[id] = v
	out := map[string]any{"ELEMENT": id, "element-6066-11e4-a52e-4f735466cecf": id}
	if d.opts.OldAgent || d.settings["shouldUseCompactResponses"] == true {
		return out
	}
	fields, _ := d.settings["elementResponseAttributes"].(string)
	for name := range strings.SplitSeq(fields, ",") {
		switch name {
		case "type", "name":
			out[name] = "XCUIElementType" + v.kind
		case "rect":
			out[name] = d.rectOf(v)
		case "label":
			out[name] = v.label
		case "attribute/name":
			out[name] = v.id
		}
	}
	return out
}

func (d *Device) rectOf(v *view) map[string]any {
	return map[string]any{"x": v.b.Min.X + d.opts.Part.Min.X, "y": v.b.Min.Y + d.opts.Part.Min.Y, "width": v.b.Dx(),
		"height": v.b.Dy()}
}

func (d *Device) activeElement(request) (any, error) {
	_, windows, err := d.active()
	if err != nil {
		return nil, err
	}
	for _, w := range windows {
		for v := range w.all2() {
			if v.field != nil && v.field == d.focus {
				return d.found(v), nil
			}
		}
	}
	return nil, &wdError{"no such element", "unable to find an element using '(null)', value '(null)'"}
}

func (d *Device) findElement(r request) (any, error) {
	var args struct{ Using, Value string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	_, windows, err := d.active()
	if err != nil {
		return nil, err
	}
	for _, w := range windows {
		for v := range w.all2() {
			if args.Using == "class name" && "XCUIElementType"+v.kind == args.Value {
				return d.found(v), nil
			}
		}
	}
	return nil, &wdError{"no such element", fmt.Sprintf("unable to find an element using '%s', value '%s'", args.Using,
		args.Value)}
}

// findElements is findElement for all that fit.
func (d *Device) findElements(r request) (any, error) {
	var args struct{ Using, Value string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	_, windows, err := d.active()
	if err != nil {
		return nil, err
	}
	all := []any{}
	fits := func(v *view) bool { return args.Using == "class name" && "XCUIElementType"+v.kind == args.Value }
	if args.Using == "predicate string" {
		if fits, err = d.predicate(args.Value); err != nil {
			return nil, err
		}
	}
	for _, w := range windows {
		if framed := d.window(); fits(framed) {
			all = append(all, d.found(framed))
		}
		for v := range w.all2() {
			if fits(v) {
				all = append(all, d.found(v))
			}
		}
	}
	return all, nil
}

// onElement serves /element/ID/… and /wda/element/ID/….
func (d *Device) onElement(r request) (any, error) {
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(r.path, "/wda"), "/element/"), "/")
	v, err := d.elementIn(parts[0])
	if err != nil {
		return nil, err
	}
	x := sourceWriter{}
	switch r.Method + " " + strings.Join(parts[1:], "/") {
	case "GET rect":
		return d.rectOf(v), nil
	case "GET attribute/type":
		return "XCUIElementType" + v.kind, nil
	case "GET attribute/name":
		return v.id, nil
	case "GET attribute/hittable":
		if d.opts.OldAgent {
			return nil, &wdError{"invalid argument", "The attribute 'hittable' is unknown"}
		}
		return d.hittable(v), nil
	case "GET attribute/value":
		return x.value(v), nil
	case "GET text": // all of it
		if v.field != nil && v.value == "" {
			return v.placeholder, nil
		}
		return cmp.Or(v.value, v.label), nil
	case "GET attribute/placeholderValue":
		if d.opts.OldAgent {
			return nil, &wdError{"invalid argument", "The attribute 'placeholderValue' is unknown"}
		}
		return v.placeholder, nil
	case "POST value":
		return d.setValue(v, r)
	case "POST clear":
		if v.field == nil {
			return nil, &wdError{"invalid element state", "The value of the element is not a string and thus cannot be edited"}
		}
		d.focus = v.field
		if v.field.keyed != nil { // of a page, which receives keys alone
			for range v.value {
				v.field.keyed('\b')
			}
		}
		v.field.set("")
		return nil, nil
	case "POST tap":
		var args struct{ X, Y float64 }
		if err := r.args(&args); err != nil {
			return nil, err
		}
		d.touched(v.b.Min.Add(image.Pt(int(args.X), int(args.Y))), taps)
		return nil, nil
	}
	return nil, &wdError{"unknown command", "Unhandled endpoint: " + r.path}
}

func (d *Device) alertText(request) (any, error) {
	q := d.open()
	if q == nil {
		return nil, &wdError{"no such alert", "An attempt was made to operate on a modal dialog when one was not open"}
	}
	return q.title, nil
}

func (d *Device) alertButtons(request) (any, error) {
	q := d.open()
	if q == nil {
		return nil, &wdError{"no such alert", "An attempt was made to operate on a modal dialog when one was not open"}
	}
	return q.buttons, nil
}

func (d *Device) alertType(r request) (any, error) {
	var args struct{ Value string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	q := d.open()
	if q == nil {
		return nil, &wdError{"no such alert", "No alert is open"}
	}
	if q.field == nil {
		return nil, &wdError{"unsupported operation", "The alert contains no input fields"}
	}
	q.field.set(args.Value)
	return nil, nil
}

// alertAnswer presses the button that is named, by its very characters. Without a name FBAlert takes the last one of an
// alert to accept and the first to dismiss, and of a sheet the other way round, whatever they say.
func (d *Device) alertAnswer(r request) (any, error) {
	var args struct{ Name string }
	if len(r.body) > 0 {
		if err := r.args(&args); err != nil {
			return nil, err
		}
	}
	q := d.open()
	if q == nil {
		return nil, &wdError{"no such alert", "No alert is open"}
	}
	button := q.buttons[0]
	if strings.HasSuffix(r.path, "accept") != q.sheet {
		button = q.buttons[len(q.buttons)-1]
	}
	if args.Name != "" {
		if !slices.Contains(q.buttons, args.Name) {
			return nil, &wdError{"invalid element state", fmt.Sprintf("Failed to find button with label '%s' for alert: %s",
				args.Name, q.title)}
		}
		button = args.Name
	}
	d.answer(q, button)
	return nil, nil
}

// project sends images as WebDriverAgentLib/Utilities/FBMjpegServer.m does: to each client that sent something.
func (d *Device) project(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		d.lab.work.Go(func() {
			defer conn.Close()
			if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
				return
			}
			fmt.Fprint(conn,
				"HTTP/1.0 200 OK\r\nServer: WDA MJPEG Server\r\nConnection: close\r\nMax-Age: 0\r\nExpires: 0\r\nCache-Control: "+
					"no-cache, "+
					"private\r\n"+
					"Pragma: no-cache\r\nContent-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n")
			for d.lab.rest(d.lab.ctx, 80*time.Millisecond) && d.sendFrame(conn) {
			}
		})
	}
}

func (d *Device) sendFrame(conn net.Conn) bool {
	d.mu.Lock()
	runs, wide := d.server != nil, d.wide
	img, err := d.builtIn()
	d.mu.Unlock()
	var b bytes.Buffer
	if err != nil || !runs || jpeg.Encode(&b, img, &jpeg.Options{Quality: 40}) != nil {
		return false
	}
	data := b.Bytes()
	if wide {
		data = slices.Insert(data, 2, exifLeft()...)
	}
	_, err = fmt.Fprintf(conn, "--BoundaryString\r\nContent-type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		len(data), data)
	return err == nil
}

// exifLeft is the part of a JPEG that says: turn it by a quarter to the left to see it as the app is.
func exifLeft() []byte {
	tiff := "MM\x00*\x00\x00\x00\x08" + "\x00\x01" + "\x01\x12\x00\x03\x00\x00\x00\x01\x00\x08\x00\x00" +
		"\x00\x00\x00\x00"
	body := "Exif\x00\x00" + tiff
	return append([]byte{0xff, 0xe1, 0, byte(len(body) + 2)}, body...)
}

// setValue is FBElementCommands.handleSetValue, for what is not a field: the others
// are typed into, which no driver of ours requires.
func (d *Device) setValue(v *view, r request) (any, error) {
	var args struct {
		Text  string
		Value []string
	}
	if err := r.args(&args); err != nil {
		return nil, err
	}
	text := cmp.Or(args.Text, strings.Join(args.Value, ""))
	if v.takes == nil {
		return nil, &wdError{"invalid element state", "the element is neither a picker wheel nor a slider"}
	}
	if err := v.takes(text); err != nil {
		return nil, &wdError{"invalid argument", err.Error()}
	}
	d.note("set to %s", text)
	return nil, nil
}
