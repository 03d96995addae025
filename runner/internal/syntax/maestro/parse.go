package maestro

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

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

// reader reads the commands and the config of one file, by parts that read its values, its selectors and the files
// that it names.
type reader struct {
	values
	selectors
	folder
	calls *calls
	chain []string // the files that call this one, outermost first, and this one
	flow  *Flow
}

func newReader(c *calls, file string, chain []string) *reader {
	v := values{&problems{errs: &c.errs}}
	return &reader{values: v, selectors: selectors{v}, folder: folder{values: v, file: file, files: c.files}, calls: c,
		chain: append(slices.Clone(chain), path.Clean(file)), flow: &Flow{File: file}}
}

func (c *calls) parse(file string, src []byte, chain []string) *Flow {
	r := newReader(c, file, chain)
	docs, from, err := source.ReadRaw(file, src)
	if err != nil {
		c.errs = append(c.errs, err.(source.Errors)...)
		return r.flow
	}
	r.source, r.flow.Source = from, from
	r.documents(docs)
	r.flow.Warnings = r.warnings
	return r.flow
}

// documents reads what the file holds: the config, and the commands.
func (r *reader) documents(docs []source.Raw) {
	const form = `a flow is a map with "appId: com.example.app" or "url: https://example.com", then a line ---, then a ` +
		`list of commands`
	switch {
	case len(docs) == 0:
		r.fail(source.Pos{File: r.file, Line: 1, Col: 1}, 0, "the file holds no flow", form)
		return
	case docs[0].Kind != source.Map:
		r.fail(docs[0].Pos, 0, "the flow has no config section", form)
		return
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
	if r.calls.count++; r.calls.count > maxFlows {
		if r.calls.count == maxFlows+1 {
			r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("the flow calls more than %d files", maxFlows), "split it")
		}
		return nil
	}
	flow := r.calls.parse(name, src, r.chain)
	r.warnings = append(r.warnings, flow.Warnings...)
	return flow
}

// Step is the one step of a test, or of a block, that runs the flow.
func (f *Flow) Step() *dsl.Step {
	pos := source.Pos{File: f.File, Line: 1, Col: 1}
	if len(f.Steps) > 0 {
		pos = f.Steps[0].Pos
	}
	c := &Command{Name: "flow", Do: Entry{f}}
	step := dsl.ForeignStep(defOf(c), pos, f.Source, source.Value{Kind: source.String, Text: f.File, Pos: pos}, c)
	step.Hold("onFlowStart", f.Start)
	step.Hold("commands", f.Steps)
	step.Hold("onFlowComplete", f.Complete)
	return step
}

// Test makes a test of the flow. A flow of an app runs on the platform that is given.
func (f *Flow) Test(id string, platform dsl.Platform) *dsl.Test {
	pos := source.Pos{File: f.File, Line: 1, Col: 1}
	if f.Web {
		platform = dsl.Web
	}
	return &dsl.Test{Pos: pos, ID: id, IDPos: pos, Name: f.Name, Platform: platform, Tags: f.Tags,
		Properties: f.Properties, Source: f.Source,
		Steps: dsl.Steps{f.Step()}, Warnings: f.Warnings}
}

// Block makes what a run step of Taproot runs of the flow.
func (f *Flow) Block() *dsl.Block {
	return &dsl.Block{File: f.File, Pos: source.Pos{File: f.File, Line: 1, Col: 1}, Steps: dsl.Steps{f.Step()},
		Source: f.Source}
}
