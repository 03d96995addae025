package maestro

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/taproot-dev/taproot/internal/source"
)

// Workspace is a folder's config.yaml: which of its flows are run, and in which order.
type Workspace struct {
	Flows                    []string
	IncludeTags, ExcludeTags []string
	// names of those that come first; one without a name has that of its file without ending
	Order         []string
	StopOnFailure bool   // of the order, none is run behind one that did not pass
	OutputDir     string // of the runs' folders; from where the program was started
	Warnings      []*source.Error

	from    *source.Source
	orderAt source.Pos
}

// workspaceKeys are those of a config.yaml; a file that has no others, and no line ---, is one.
var workspaceKeys = words(
	"flows includeTags excludeTags local executionOrder baselineBranch notifications disableRetries platform " +
		"testOutputDir " +
		"disableAnimations appBinaryId deviceOs deviceModel android ios web")

// IsWorkspace reports whether a file is the configuration of a folder of flows, and no flow.
func IsWorkspace(name string, src []byte) bool {
	return !strings.Contains(string(src), "\n---") && !beginsWithID(src) && isWorkspace(name, src)
}

func isWorkspace(name string, src []byte) bool {
	docs, _, err := source.ReadRaw(name, src)
	if err != nil || len(docs) > 1 || len(docs) == 1 && docs[0].Kind != source.Map {
		return false
	}
	if len(docs) == 0 {
		return IsConfigName(name)
	}
	for _, f := range docs[0].Fields {
		if !slices.Contains(workspaceKeys, f.Key) && !IsConfigName(name) {
			return false
		}
	}
	_, id := docs[0].Get("id")
	_, steps := docs[0].Get("steps")
	return !id && !steps
}

// IsConfigName reports whether a file is called config.yaml or config.yml.
func IsConfigName(name string) bool {
	base := path.Base(filepath.ToSlash(name))
	return base == "config.yaml" || base == "config.yml"
}

// ParseWorkspace reads a config.yaml. The error is a dsl.Errors.
func ParseWorkspace(file string, src []byte) (*Workspace, error) {
	w := &Workspace{}
	docs, from, err := source.ReadRaw(file, src)
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		return w, nil
	}
	var errs source.Errors
	r := values{&problems{source: from, errs: &errs}}
	if docs[0].Kind != source.Map {
		r.fail(docs[0].Pos, 0, "the configuration of a folder must be a map", `for example flows: ["**"]`)
	}
	if len(docs) > 1 {
		r.fail(docs[1].Pos, 0, "a second document in the configuration of a folder, which would be ignored", "keep one")
	}
	for _, f := range docs[0].Fields {
		switch f.Key {
		case "flows":
			w.Flows = r.texts(f)
			if len(w.Flows) > 0 && !slices.ContainsFunc(w.Flows, func(p string) bool { return !strings.HasPrefix(p, "!") }) {
				r.fail(f.Pos, len(f.Key), `"flows" only takes files away, so that none is left`,
					`add a pattern of those to run: - "*"`)
			}
		case "includeTags":
			w.IncludeTags = r.texts(f)
		case "excludeTags":
			w.ExcludeTags = r.texts(f)
		case "executionOrder":
			w.readOrder(r, f)
		case "testOutputDir":
			if text := r.written(f); text != nil {
				w.OutputDir = *text
			}
		default:
			if !slices.Contains(workspaceKeys, f.Key) {
				r.warn(f.Pos, len([]rune(f.Key)), fmt.Sprintf("the key %q in the configuration means nothing", short(f.Key)),
					near(f.Key, workspaceKeys))
			}
		}
	}
	w.Warnings, w.from = r.warnings, from
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *Workspace) readOrder(r values, f source.RawField) {
	if f.Value.Kind == source.Null || !r.isMap(f) {
		return
	}
	if x, given := f.Value.Get("flowsOrder"); given {
		w.Order, w.orderAt = r.texts(x), x.Pos
	}
	if x, given := f.Value.Get("continueOnFailure"); given {
		w.StopOnFailure = !r.truth(x, true)
	}
}

// First returns those of Order that come first where these flows are run: up to the first that is not among them.
// Maestro does not run at all when that is the very first of the list; when none of them is there, or one is named
// twice, there does not define an order.
func (w *Workspace) First(flows []string) ([]string, error) {
	missing := func(name string) bool { return !slices.Contains(flows, name) }
	if !slices.ContainsFunc(w.Order, func(name string) bool { return !missing(name) }) {
		return nil, nil
	}
	first := w.Order
	if i := slices.IndexFunc(first, missing); i >= 0 {
		first = first[:i]
	}
	if len(first) == 0 {
		return nil, &source.Error{Pos: w.orderAt, Width: len("flowsOrder"), Source: w.from,
			Msg:  fmt.Sprintf("\"flowsOrder\" starts with %q, and no flow that is run has this name", short(w.Order[0])),
			Hint: "it takes the names of flows, and of those without a name the names of their files without ending"}
	}
	for i, name := range first {
		if slices.Contains(first[:i], name) {
			return nil, nil
		}
	}
	return first, nil
}

// Picks reports whether the configuration picks a file, by its path from the folder: its top level, or what the
// patterns say, of which one with ! before it takes away.
func (w *Workspace) Picks(rel string) bool {
	patterns := w.Flows
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	rel = filepath.ToSlash(rel)
	picked := false
	for _, p := range patterns {
		if bare, negated := strings.CutPrefix(p, "!"); negated {
			if fits(bare, rel) {
				return false
			}
			continue
		}
		picked = picked || fits(p, rel)
	}
	return picked
}

// fits compares a path with a pattern as Java does: ** before a slash is at least one folder.
func fits(pattern, rel string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	if strings.HasPrefix(pattern, "**/") && !strings.Contains(rel, "/") {
		return false
	}
	ok, err := doublestar.Match(pattern, rel)
	return err == nil && ok
}

// Tagged reports whether a flow with these tags is run: it has one of those that are included, if any are, and none of
// those that are not.
func Tagged(tags, include, exclude []string) bool {
	has := func(list []string) bool {
		return slices.ContainsFunc(tags, func(t string) bool { return slices.Contains(list, t) })
	}
	return (len(include) == 0 || has(include)) && !has(exclude)
}

// TagsOf returns the tags of a flow, however wrong the rest of it is.
func TagsOf(src []byte) []string {
	docs, _, err := source.ReadRaw("", src)
	if err != nil || len(docs) == 0 {
		return nil
	}
	f, _ := docs[0].Get("tags")
	var tags []string
	for _, item := range f.Value.Items {
		tags = append(tags, item.Text)
	}
	return tags
}
