package source

import (
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// documentEdge is a line that ends a document or starts one.
var documentEdge = regexp.MustCompile(`^(---|\.\.\.)([ \t]|$)`)

// splitDocuments divides a file at its separators, line by line, without a YAML library. Parts with nothing but
// comments are left out.
func splitDocuments(text string) []string {
	var parts []string
	var part strings.Builder
	holds := false
	end := func() {
		if holds {
			parts = append(parts, part.String())
		}
		part.Reset()
		holds = false
	}
	for line := range strings.Lines(text) {
		edge := documentEdge.MatchString(strings.TrimSuffix(line, "\n"))
		if edge && strings.HasPrefix(line, "---") {
			end()
		}
		part.WriteString(line)
		body := strings.TrimSpace(line)
		if edge {
			body = strings.TrimSpace(line[3:])
		}
		holds = holds || body != "" && !strings.HasPrefix(body, "#")
		if edge && strings.HasPrefix(line, "...") {
			end()
		}
	}
	end()
	return parts
}

// checkDocuments wants each part of a file to become the value that it is on its own.
func checkDocuments(t *testing.T, src string) {
	t.Helper()
	text, source, bad := Readable("a.yaml", []byte(src))
	if bad != nil || strings.ContainsFunc(src, func(r rune) bool { return r > 0x7f && unicode.IsSpace(r) }) {
		return // at the ends of texts these spaces are trimmed
	}
	got, err := Read(text, source)
	if err != nil {
		return
	}
	var want []Value
	for _, part := range splitDocuments(text) {
		text, source, bad := Readable("part.yaml", []byte(part))
		if bad != nil {
			t.Fatalf("%q\npart %q: %v", src, part, bad)
		}
		values, err := Read(text, source)
		if err != nil || len(values) != 1 {
			t.Fatalf("%q\npart %q is %d documents: %v", src, part, len(values), err)
		}
		want = append(want, values...)
	}
	if !slices.EqualFunc(got, want, equal) {
		t.Fatalf("%q\nis %d documents, and its parts are %d", src, len(got), len(want))
	}
	raw, _, err := ReadRaw("a.yaml", []byte(src))
	if err != nil || len(raw) != len(want) {
		t.Fatalf("%q\nis %d documents as it is written: %v", src, len(raw), err)
	}
}

// layouts are pieces of files: separators, comments, and values that contain what looks like them.
var layouts = []string{"---\n", "--- \n", "---\t\n", "--- # c\n", "...\n", "...\n---\n", "# c\n", "  # c\n", "#---\n",
	"\n", "id: a\n",
	"steps:\n", "  - tap: x\n", "- tap: x\n", "  - input: |\n      a\n       ---\n",
	"  - b: >-\n      ---x\n      c # d\n", "a: 'x\n  y'\n",
	"b: \"x\n\n  y\\n\"\n", "c: plain\n  more\n", "d: {a: 1,\n  b: 2}\n", "e: [a,\n ---,\n b]\n", "f: &x 1\n", "g: *x\n",
	"h:\n",
	"    - z\n", "--- {a: b}\n", "--- [a]\n", "--- |\n  text\n", "--- text\n", "----\n", "k: ---\n", "- ---\n",
	"- - a\n  - b\n",
	"i: # c\n  j: 1 # d\n", "l: |\n\n", "m: |+\n  a\n\n", "n: a\r\n", "---\r\n", "\"---\": 1\n", "o: [---]\n",
	"p: |\n---\n",
	"q:\n---\n", "r: 'a\n---\n'\n", "- |\n a\n", "s: a ... b\n", "...a\n", "<<: {a: 1}\n", "t: \"a\" # c\n", "u: 'a' #c\n",
	"v: a#b\n",
	"-\n", "- # c\n", "- {}\n", "-  [a, b]\n", "w: |2\n    x\n", "x:  >\n a\n b\n", "y : 1\n", "z: \n", "~\n",
	"--- null\n"}

func TestNoDocumentIsDropped(t *testing.T) {
	for src, want := range map[string]int{
		"a: 1\n---\n# c\n---\nb: 1\n":                      2,
		"a: 1\n---\n---\n---\nb: 1\n---\nc: 1\n":           3,
		"---\n---\n# c\n---\na: 1\n":                       1,
		"a: 1\n--- # c\n\n--- # d\nb: 1\n...\n---\nc: 1\n": 3,
		"a: 1\n---\n---\n":                                 1,
		"a: |\n  x\n---\n--- \nb: \"y\"\n":                 2,
		"--- {a: 1}\n---\t\n--- {b: 1}\n":                  2,
	} {
		text, from, bad := Readable("a.yaml", []byte(src))
		if bad != nil {
			t.Fatal(bad)
		}
		values, err := Read(text, from)
		if err != nil || len(values) != want {
			t.Errorf("%q: %d documents and %v, want %d", src, len(values), err, want)
		}
		checkDocuments(t, src)
	}
	for seed := range int64(5000) {
		checkDocuments(t, randomLayout(rand.New(rand.NewSource(seed))))
	}
}

func randomLayout(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.Intn(9) {
		b.WriteString(layouts[r.Intn(len(layouts))])
	}
	return b.String()
}

func FuzzDocuments(f *testing.F) {
	for _, src := range corpus(f) {
		f.Add(string(src))
	}
	for seed := range int64(200) {
		f.Add(randomLayout(rand.New(rand.NewSource(seed))))
	}
	f.Fuzz(checkDocuments)
}
