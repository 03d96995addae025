package source

import (
	"bytes"
	"fmt"
	"math/rand"
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
		"block texts": {
			"a:\n    b: |\n        one\n          two\n\n        # no comment\n    c: >-\n      x\n      y\n- z\n",
			""},
		"texts": {"steps:\n- input: |\n      one\n\n        two\n- input: \"a\n     b\n\n   c\"\n- input: plain\n      " +
			"over " +
			"lines\n" +
			"- " +
			"input: >2-\n    x\n",
			"steps:\n  - input: |\n      one\n\n        two\n  - input: \"a\n      b\n\n      c\"\n  - input: plain\n      " +
				"over " +
				"lines\n" +
				" " +
				" " +
				"- " +
				"input: >2-\n      x\n"},
		"brackets": {"steps:\n- tap: {label: x,\n     below: {id: y}, # why\n   }\n- press: [\n  a,\n  b\n  ]\n",
			"steps:\n  - tap: {label: x,\n      below: {id: y}, # why\n    }\n  - press: [\n      a,\n      b\n    ]\n"},
		"nested": {"steps:\n- if:\n   cond: x\n   then:\n   - tap: y\n   - - z\n     - 1\n",
			"steps:\n  - if:\n      cond: x\n      then:\n        - tap: y\n        - - z\n          - 1\n"},
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

// Files as people write them are all laid out: none of them is returned unchanged because the layout failed.
func TestFormatChangesWhatItShould(t *testing.T) {
	files, err := filepath.Glob("../../dsl/testdata/ok/*.txtar")
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

// TestFormatKeepsCommentsAtTheirLevel writes files of random trees with a random indentation, where each comment starts
// at the column of a level, and wants the layout with two spaces for each level.
func TestFormatKeepsCommentsAtTheirLevel(t *testing.T) {
	for seed := range int64(3000) {
		w := commentWriter{rand: rand.New(rand.NewSource(seed))}
		w.mapping(0, 0, 0)
		got, err := Format("a.yaml", []byte(w.given.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, w.given.String())
		}
		if want := w.wanted.String(); string(got) != want {
			t.Fatalf("seed %d:\n%s\nbecomes\n%s\nwant\n%s", seed, w.given.String(), got, want)
		}
	}
}

// commentWriter writes one tree in two layouts.
type commentWriter struct {
	rand          *rand.Rand
	given, wanted strings.Builder
	n             int
}

func (w *commentWriter) line(given, wanted int, text string) {
	w.given.WriteString(spaces(given) + text + "\n")
	w.wanted.WriteString(spaces(wanted) + text + "\n")
}

// comments are some at the level of the entry before or behind them.
func (w *commentWriter) comments(given, wanted int, list bool) {
	for w.rand.Intn(3) == 0 {
		w.n++
		text := fmt.Sprintf("# c%d", w.n)
		if list && w.rand.Intn(2) == 0 {
			text = fmt.Sprintf("# - tap: c%d", w.n)
		}
		w.line(given, wanted, text)
	}
}

func (w *commentWriter) mapping(depth, given, wanted int) {
	for i := range 1 + w.rand.Intn(3) {
		w.n++
		key := fmt.Sprintf("k%d:", w.n)
		if i > 0 || depth == 0 {
			w.comments(given, wanted, false)
		}
		inner := given + 2 + w.rand.Intn(4)
		switch {
		case depth > 3 || w.rand.Intn(2) == 0:
			w.line(given, wanted, key+" x")
		case w.rand.Intn(2) == 0:
			w.line(given, wanted, key)
			w.comments(inner, wanted+2, false)
			w.mapping(depth+1, inner, wanted+2)
		default:
			w.line(given, wanted, key)
			w.list(depth+1, inner, wanted+2)
		}
	}
	w.comments(given, wanted, false)
}

func (w *commentWriter) list(depth, given, wanted int) {
	for range 1 + w.rand.Intn(3) {
		w.n++
		w.comments(given, wanted, true)
		w.line(given, wanted, fmt.Sprintf("- e%d", w.n))
	}
	w.comments(given, wanted, true)
}

// TestFormatOfComments has the cases that need a decision.
func TestFormatOfComments(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"a last entry of a nested list": {"steps:\n- if:\n    cond: x\n    then:\n    - tap: a\n    # - tap: b\n- tap: c\n",
			"steps:\n  - if:\n      cond: x\n      then:\n        - tap: a\n        # - tap: b\n  - tap: c\n"},
		"a list in the column of its key": {"steps:\n- tap: a\n# - tap: b\ntags: [x]\n",
			"steps:\n  - tap: a\n  # - tap: b\ntags: [x]\n"},
		"at the end of the file": {"steps:\n- tap: a\n# - tap: b\n", "steps:\n  - tap: a\n  # - tap: b\n"},
		"about the next key": {"steps:\n- tap: a\n# what it is about\ntags: [x]\n",
			"steps:\n  - tap: a\n# what it is about\ntags: [x]\n"},
		"about the next entry": {"steps:\n- tap: a\n# why\n- tap: b\n",
			"steps:\n  - tap: a\n  # why\n  - tap: b\n"},
		"all of a map": {"vars:\n    # A: 1\n    # B: 2\nsteps:\n- tap: x\n",
			"vars:\n  # A: 1\n  # B: 2\nsteps:\n  - tap: x\n"},
		"keys of an entry": {"steps:\n- tap:\n    label: x\n    # below: y\n- tap: z\n",
			"steps:\n  - tap:\n      label: x\n      # below: y\n  - tap: z\n"},
		"before a new level": {"steps:\n    # first\n    - tap: x\n", "steps:\n  # first\n  - tap: x\n"},
		"before the next document": {"steps:\n  - tap: x\n  # - tap: y\n---\nid: b\n",
			"steps:\n  - tap: x\n  # - tap: y\n---\nid: b\n"},
	} {
		got, err := Format("a.yaml", []byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
		checkFormat(t, []byte(c.in))
	}
}
