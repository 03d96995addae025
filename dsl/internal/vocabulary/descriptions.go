package vocabulary

import (
	"cmp"
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// descriptionText holds what people and programs read about the fields of the structs. It is a file of its own, because
// the texts are too long for struct tags.
//
//go:embed descriptions.txt
var descriptionText string

// description is what the documentation says about one field.
type description struct {
	doc     string // in the reference, in the help and in schemas
	tool    string // the shorter text for MCP tools; "": the same; "-" (in the tag): assistants do not get the field
	example string // a line that shows how to write it; "": one is generated
}

// descriptions returns the descriptions by the name of the struct type and the JSON key of the field. A test makes sure
// that the file can be read.
var descriptions = sync.OnceValue(func() map[string]map[string]description {
	all, _ := parseDescriptions(descriptionText)
	return all
})

// descriptionOf returns the description of a field. Structs of other packages, such as the arguments of the MCP
// server's own tools, have theirs in the tag.
func descriptionOf(t reflect.Type, key string, tag reflect.StructTag) description {
	d := description{doc: tag.Get("doc"), tool: tag.Get("tool"), example: tag.Get("example")}
	if t.PkgPath() != reflect.TypeFor[description]().PkgPath() {
		return d
	}
	own := descriptions()[t.Name()][key]
	return description{
		doc:     cmp.Or(own.doc, d.doc),
		tool:    cmp.Or(own.tool, d.tool),
		example: cmp.Or(own.example, d.example),
	}
}

// parseDescriptions reads descriptions.txt. The head of that file explains its format.
func parseDescriptions(text string) (map[string]map[string]description, error) {
	all := map[string]map[string]description{}
	var typ string
	for _, entry := range descriptionEntries(text) {
		if strings.HasPrefix(entry, "[") {
			typ = strings.Trim(entry, "[]")
			all[typ] = map[string]description{}
			continue
		}
		head, text, found := strings.Cut(entry, ": ")
		if !found || typ == "" {
			return nil, fmt.Errorf("%q is not the description of a field", entry)
		}
		key, kind, _ := strings.Cut(head, " ")
		d := all[typ][key]
		switch kind {
		case "":
			d.doc = text
		case "(tool)":
			d.tool = text
		case "(example)":
			d.example = text
		default:
			return nil, fmt.Errorf("%s.%s: %q is neither (tool) nor (example)", typ, key, kind)
		}
		all[typ][key] = d
	}
	return all, nil
}

// descriptionEntries joins the indented lines with the lines that they continue, and leaves out comments and empty
// lines.
func descriptionEntries(text string) []string {
	var entries []string
	for line := range strings.SplitSeq(text, "\n") {
		more, continued := strings.CutPrefix(line, "  ")
		switch {
		case continued && len(entries) > 0:
			entries[len(entries)-1] += " " + more
		case line != "" && !strings.HasPrefix(line, "#"):
			entries = append(entries, line)
		}
	}
	return entries
}
