package dsl

import (
	"fmt"
	"github.com/taproot-dev/taproot/dsl/source"
	"strings"
)

// Parse reads a file of tests: each YAML document is one. The error is an Errors: the first syntax error alone, else
// all semantic errors of the file; the tests are then nil. Variables stay in place: see Scope, Bind and CheckVars.
//
// Of YAML 1.2 it takes the core schema, anchors, aliases and merge keys (<<, where a test's own keys win). Directives
// and tags are errors, and so is every key that has no meaning.
func Parse(file string, src []byte) ([]*Test, error) {
	text, from, bad := source.Readable(file, src)
	if bad != nil {
		return nil, source.Errors{bad}
	}
	values, err := source.Read(text, from)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, source.Errors{{Pos: source.Pos{File: file, Line: 1, Col: 1}, Msg: "the file holds no test",
			Hint: `start with "id: …" and "platform: …", then "steps:" and under it the actions`}}
	}
	d := &decoding{source: from}
	var tests []*Test
	for _, v := range values {
		if t := d.test(v); t != nil {
			tests = append(tests, t)
		}
	}
	d.repeatedIDs(tests)
	if err := d.errs.Err(); err != nil {
		return nil, err
	}
	return tests, nil
}

func (d *decoding) repeatedIDs(tests []*Test) {
	first := map[string]*Test{}
	for _, t := range tests {
		key := strings.ToLower(t.ID)
		before, taken := first[key]
		switch {
		case key == "":
		case taken:
			d.fail(t.IDPos, len([]rune(t.ID)), fmt.Sprintf("the id %q is taken", t.ID),
				fmt.Sprintf("the test on line %d has it (upper and lower case count as the same); choose another one",
					before.IDPos.Line))
		default:
			first[key] = t
		}
	}
}
