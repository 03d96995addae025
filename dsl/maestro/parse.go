package maestro

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Files reads what flows name: other flows, scripts. Paths have slashes and start where that of the flow does.
type Files interface {
	Read(path string) ([]byte, error)
	// Has reports whether there is such a file.
	Has(path string) bool
}

// maxFlows bounds the files that one flow calls, those that they call included.
const maxFlows = 2000

// Parse reads a flow with all that it calls. The error is a dsl.Errors: every mistake of every file.
func Parse(file string, src []byte, files Files) (*Flow, error) {
	c := &calls{files: files}
	f := c.parse(file, src, nil)
	if err := c.errs.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

var configLine = lazyregexp.New(`^(appId|url)[ \t]*:`)

// Is reports whether a file is meant as a flow of Maestro: a map that names an app or a page, then a list; or a list
// where a map of Taproot's would stand.
func Is(src []byte) bool { return !beginsWithID(src) && isFlow(src) }

// beginsWithID reports whether a file is certainly a test of Taproot, without a parser: one document with the first
// line returns an id. Of thousands of files, nearly all are. false: one has to look.
func beginsWithID(src []byte) bool {
	begins := false
	for line := range bytes.Lines(src) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		switch {
		case bytes.ContainsRune(line, '\r'), bytes.HasPrefix(line, []byte("---")), bytes.HasPrefix(line, []byte("...")):
			return false
		case begins, len(line) == 0, line[0] == '#':
		case bytes.HasPrefix(line, []byte("id: ")):
			begins = true
		default:
			return false
		}
	}
	return begins
}

func isFlow(src []byte) bool {
	docs, _, err := source.ReadRaw("", src)
	if err != nil || len(docs) == 0 {
		return looksLike(string(src))
	}
	if docs[0].Kind == source.List || len(docs) > 1 && docs[1].Kind == source.List {
		return true
	}
	_, app := docs[0].Get("appId")
	_, url := docs[0].Get("url")
	_, id := docs[0].Get("id")
	_, steps := docs[0].Get("steps")
	return docs[0].Kind == source.Map && (app || url) && !id && !steps
}

// looksLike judges a file that is not YAML by its lines.
func looksLike(text string) bool {
	config := false
	for line := range strings.Lines(text) {
		switch {
		case configLine.MatchString(line):
			config = true
		case strings.HasPrefix(line, "id:"), strings.HasPrefix(line, "steps:"):
			return false
		case config && (strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "---")):
			return true
		}
	}
	return false
}

// calls is the reading of a flow and of those that it calls.
type calls struct {
	files Files
	errs  source.Errors
	count int
}

// reader reads one file.
type reader struct {
	*calls
	file   string
	source *source.Source
	chain  []string // the files that call this one, outermost first, and this one
	flow   *Flow
}

func (c *calls) parse(file string, src []byte, chain []string) *Flow {
	r := &reader{calls: c, file: file, chain: append(slices.Clone(chain), path.Clean(file)), flow: &Flow{File: file}}
	docs, from, err := source.ReadRaw(file, src)
	if err != nil {
		c.errs = append(c.errs, err.(source.Errors)...)
		return r.flow
	}
	r.source, r.flow.Source = from, from
	const form = `a flow is a map with "appId: com.example.app" or "url: https://example.com", then a line ---, then a ` +
		`list of commands`
	switch {
	case len(docs) == 0:
		r.fail(source.Pos{File: file, Line: 1, Col: 1}, 0, "the file holds no flow", form)
		return r.flow
	case docs[0].Kind != source.Map:
		r.fail(docs[0].Pos, 0, "the flow has no config section", form)
		return r.flow
	}
	r.config(docs[0])
	switch {
	case len(docs) < 2:
		r.fail(r.end(), 0, "the flow has no list of commands", form)
	case docs[1].Kind != source.List:
		r.fail(docs[1].Pos, 0, "the commands of a flow are a list", form)
	case len(docs) > 2:
		r.fail(docs[2].Pos, 0, "a third document, of which nothing would be run",
			"remove the line --- above it, or put its commands into a file of their own")
	default:
		r.flow.Steps = r.commands(docs[1])
	}
	return r.flow
}

// end is where the commands would start: at the line --- that closes the config, or at the last line.
func (r *reader) end() source.Pos {
	last := 1
	for i, line := range r.source.Lines {
		switch {
		case i > 0 && strings.HasPrefix(line, "---"):
			return source.Pos{File: r.file, Line: i + 1, Col: 1}
		case strings.TrimSpace(line) != "":
			last = i + 1
		}
	}
	return source.Pos{File: r.file, Line: last, Col: 1}
}

func (r *reader) config(v source.Raw) {
	if f, given := v.Get("appId"); given {
		if text := r.written(f); text != nil {
			r.flow.App = *text
		}
	}
	if f, given := v.Get("url"); given {
		if text := r.written(f); text != nil {
			r.flow.App, r.flow.Web = *text, true
		}
	}
	for _, f := range v.Fields {
		r.configField(f)
	}
	if r.flow.App == "" && !r.flow.Web {
		if f, given := v.Get("appId"); !given || f.Value.Kind == source.Null {
			r.fail(v.Pos, 0, `the config names neither "appId" nor "url"`,
				`add the app: "appId: com.example.app", or the page: "url: https://example.com"`)
		}
	}
}

func (r *reader) configField(f source.RawField) {
	null := f.Value.Kind == source.Null
	switch f.Key {
	case "appId", "url":
	case "name":
		if text := r.written(f); text != nil {
			r.flow.Name = *text
		}
	case "tags":
		if f.Value.Kind != source.List && !null {
			r.fail(f.Value.Pos, f.Value.Width, `"tags" must be a list`, "write tags: ["+short(f.Value.Text)+"]")
		}
		r.flow.Tags = nil
		for _, item := range f.Value.Items {
			if text := r.written(source.RawField{Key: "tags", Pos: item.Pos, Value: item}); text != nil {
				r.flow.Tags = append(r.flow.Tags, *text)
			}
		}
	case "env":
		r.flow.Env = r.pairs(f)
	case "properties":
		r.flow.Properties = nil
		for _, p := range r.pairs(f) {
			r.flow.Properties = append(r.flow.Properties, dsl.Property{Name: p.Key, Value: p.Value})
		}
	case "onFlowStart":
		r.flow.Start = r.hook(f)
	case "onFlowComplete":
		r.flow.Complete = r.hook(f)
	case "androidWebViewHierarchy":
		r.flow.WebViews = f.Value.Text == "devtools"
	case "jsEngine":
		r.flow.Rhino = strings.EqualFold(f.Value.Text, "rhino")
	default:
		r.warn(f.Pos, len([]rune(f.Key)), fmt.Sprintf("the key %q in the config means nothing", short(f.Key)), near(f.Key,
			words("appId url name tags env onFlowStart onFlowComplete properties androidWebViewHierarchy jsEngine")))
	}
}

// hook reads the commands of onFlowStart and onFlowComplete. Their flow's app is theirs.
func (r *reader) hook(f source.RawField) dsl.Steps {
	if f.Value.Kind == source.Null {
		return nil
	}
	if f.Value.Kind != source.List {
		r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q must be a list of commands", f.Key),
			`start each command with "- "`)
		return nil
	}
	return r.commands(f.Value)
}

// pairs reads a map of texts, as they are written.
func (r *reader) pairs(f source.RawField) []Pair {
	if f.Value.Kind != source.Map {
		if f.Value.Kind != source.Null || f.Key == "env" {
			r.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("%q must be a map", f.Key), "NAME: value, one in a line; or remove it")
		}
		return nil
	}
	var all []Pair
	for _, x := range f.Value.Fields {
		if x.Value.Kind == source.List || x.Value.Kind == source.Map {
			r.fail(x.Value.Pos, 0, fmt.Sprintf("%q must be a text, not a %s", short(x.Key), kindName(x.Value)), "")
			continue
		}
		text := r.written(x)
		if text == nil {
			r.fail(x.Pos, len([]rune(x.Key)), fmt.Sprintf("%q has no value", short(x.Key)),
				fmt.Sprintf(`write %s: "" for an empty text, or remove it`, x.Key))
			continue
		}
		all = slices.DeleteFunc(all, func(p Pair) bool { return p.Key == x.Key })
		all = append(all, Pair{Key: x.Key, Value: *text, Pos: x.Value.Pos})
	}
	return all
}

func (r *reader) fail(pos source.Pos, width int, msg, hint string) {
	r.errs = append(r.errs, &source.Error{Pos: pos, Width: width, Msg: msg, Hint: hint, Source: r.source})
}

// warn reports what Maestro accepts in silence.
func (r *reader) warn(pos source.Pos, width int, msg, hint string) {
	r.flow.Warnings = append(r.flow.Warnings, &source.Error{Pos: pos, Width: width, Msg: msg, Hint: hint,
		Source: r.source})
}

// keys refuses keys that a map cannot have; where Maestro takes them, they are warnings.
func (r *reader) keys(v source.Raw, what string, allowed []string, strict bool) {
	for _, f := range v.Fields {
		if slices.Contains(allowed, f.Key) {
			continue
		}
		msg, hint := fmt.Sprintf("unknown key %q in %q", short(f.Key), what),
			cmp.Or(invented[what+"."+f.Key], near(f.Key, allowed))
		if hint == "" {
			hint = "it can have " + strings.Join(allowed, ", ")
		}
		if strict {
			r.fail(f.Pos, len([]rune(f.Key)), msg, hint)
		} else {
			r.warn(f.Pos, len([]rune(f.Key)), msg+": it means nothing", hint)
		}
	}
}

// invented are keys and commands that Maestro does not have and people write, and what it has instead.
var invented = map[string]string{
	"assertVisible.timeout":    "for a time of its own write extendedWaitUntil: {visible: …, timeout: …}",
	"assertNotVisible.timeout": "for a time of its own write extendedWaitUntil: {notVisible: …, timeout: …}",
	"tapOn.timeout":            "tapOn waits 17 seconds; to wait longer write extendedWaitUntil before it",
	"scroll.direction": "scroll always goes down: write - scroll alone; to see what is above, write swipe: " +
		"{direction: DOWN}",
	"inputText.id": "inputText types where the focus is: write tapOn: {id: …} before it",
	"wait":         "wait for an element: extendedWaitUntil: {visible: …, timeout: …}",
	"sleep":        "wait for an element: extendedWaitUntil: {visible: …, timeout: …}",
	"clearText":    "write eraseText",
	"clearInput":   "write eraseText",
	"openBrowser":  "Maestro has openLink: {link: …, browser: true}",
}

func near(word string, known []string) string {
	if like := dsl.Suggest(word, known); like != "" {
		return fmt.Sprintf("did you mean %q?", like)
	}
	return ""
}

// resolve is the path of a file that the flow names.
func (r *reader) resolve(name string) string {
	if path.IsAbs(name) || filepath.IsAbs(name) {
		return path.Clean(filepath.ToSlash(name))
	}
	return path.Join(path.Dir(r.file), name)
}

// call reads the flow of another file; nil: it cannot be, which is reported.
func (r *reader) call(f source.RawField) *Flow {
	name, src := r.open(f)
	if src == nil {
		return nil
	}
	if i := slices.Index(r.chain, name); i >= 0 {
		msg := "the flows call each other in a circle: " + strings.Join(append(slices.Clone(r.chain[i:]), name), " → ")
		if i == len(r.chain)-1 {
			msg = "the flow calls itself"
		}
		r.fail(f.Value.Pos, f.Value.Width, msg, "remove one of the runFlow commands; to do something again, write repeat")
		return nil
	}
	if r.count++; r.count > maxFlows {
		if r.count == maxFlows+1 {
			r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("the flow calls more than %d files", maxFlows), "split it")
		}
		return nil
	}
	flow := r.parse(name, src, r.chain)
	r.flow.Warnings = append(r.flow.Warnings, flow.Warnings...)
	return flow
}

// open reads a file that the flow names; nil: it cannot, which is reported.
func (r *reader) open(f source.RawField) (name string, src []byte) {
	text := r.written(f)
	if text == nil {
		return "", nil
	}
	hint := "the path is relative to this file"
	if strings.Contains(*text, "${") {
		hint = "Maestro fills in no ${…} in the name of a file"
	}
	name = r.resolve(*text)
	src, err := r.files.Read(name)
	if err != nil {
		r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("the file %q cannot be read: %v", short(*text), plainly(err)), hint)
		return name, nil
	}
	if src == nil {
		src = []byte{}
	}
	return name, src
}

// plainly drops what an error of the system says about the path: the message names it already.
func plainly(err error) error {
	var where *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file")
	case errors.As(err, &where):
		return where.Err
	}
	return err
}
