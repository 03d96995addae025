package source

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestFormat(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"indentation": {"id: a\nsteps:\n- tap: x\n-   tap:\n        label:   y\n        below:\n            id: z\n",
			"id: a\nsteps:\n  - tap: x\n  - tap:\n      label: y\n      below:\n        id: z\n"},
		"white space": {"\ufeffid:  a   \r\n\r\n\r\n\r\nsteps:\r\n  - tap: x\t\r\n\r\n", "id: a\n\nsteps:\n  - tap: x\n"},
		"comments": {"# top\nid: a # id\nsteps:\n    # first\n    - tap: x     # aligned\n    # last\n\n    # more\n# end\n",
			"# top\nid: a # id\nsteps:\n  # first\n  - tap: x     # aligned\n  # last\n\n  # more\n# end\n"},
		"block texts": {"a:\n    b: |\n        one\n          two\n\n        # no comment\n    c: >-\n      x\n      y\n- z\n",
			""},
		"texts": {"steps:\n- input: |\n      one\n\n        two\n- input: \"a\n     b\n\n   c\"\n- input: plain\n      over lines\n- input: >2-\n    x\n",
			"steps:\n  - input: |\n      one\n\n        two\n  - input: \"a\n      b\n\n      c\"\n  - input: plain\n      over lines\n  - input: >2-\n      x\n"},
		"brackets": {"steps:\n- tap: {label: x,\n     below: {id: y}, # why\n   }\n- press: [\n  a,\n  b\n  ]\n",
			"steps:\n  - tap: {label: x,\n      below: {id: y}, # why\n    }\n  - press: [\n      a,\n      b\n    ]\n"},
		"nested":    {"steps:\n- if:\n   cond: x\n   then:\n   - tap: y\n   - - z\n     - 1\n", "steps:\n  - if:\n      cond: x\n      then:\n        - tap: y\n        - - z\n          - 1\n"},
		"documents": {"id: a\n---\n   id: b\n---\n# c\n", "id: a\n---\nid: b\n---\n# c\n"},
		"anchors":   {"a:   &x\n   b: 1\nc:   {<<: *x}\nd: &y   z\n", "a: &x\n  b: 1\nc: {<<: *x}\nd: &y   z\n"},
		"keys":      {"\"a: b\" : 1\n'it''s': 2\nc d: x: y\n", ""},
		"nothing":   {"", ""},
		"hashes":    {"a: x#y\nb: \"# no\"\nc: 'it''s # no' # yes\n", "a: x#y\nb: \"# no\"\nc: 'it''s # no' # yes\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Format("a.yaml", []byte(c.in))
			if err != nil {
				if c.want != "" {
					t.Fatal(err)
				}
				return
			}
			if string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			checkFormat(t, []byte(c.in))
		})
	}
}

// checkFormat wants formatting to keep the meaning and the comments, and to change nothing the second time.
func checkFormat(t *testing.T, src []byte) {
	t.Helper()
	got, err := Format("a.yaml", src)
	if err != nil {
		return
	}
	again, err := Format("a.yaml", got)
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("not the same the second time, %v:\n%q\n%q\n%q", err, src, got, again)
	}
	if meaning(t, src) != meaning(t, got) {
		t.Errorf("another meaning:\n%q\n%q", src, got)
	}
	if !slices.Equal(comments(src), comments(got)) {
		t.Errorf("other comments:\n%q\n%q", src, got)
	}
}

func meaning(t *testing.T, src []byte) string {
	t.Helper()
	text, source, bad := Readable("a.yaml", src)
	if bad != nil {
		t.Fatal(bad)
	}
	values, err := Read(text, source)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, v := range values {
		b.WriteString(bones(v) + "\n")
	}
	return b.String()
}

// Files as people write them are all laid out: none of them is given back as it was because the layout failed.
func TestFormatChangesWhatItShould(t *testing.T) {
	files, err := filepath.Glob("../testdata/ok/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range archive.Files {
			if !strings.HasSuffix(part.Name, ".yaml") {
				continue
			}
			got, err := Format(part.Name, part.Data)
			if err != nil {
				t.Fatal(err)
			}
			if want := layOut(part.Data); !bytes.Equal(got, want) {
				t.Errorf("%s: %s was left as it is; the layout would be\n%s", file, part.Name, want)
			}
		}
	}
}

func FuzzFormat(f *testing.F) {
	for _, src := range corpus(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkFormat(t, src) })
}
