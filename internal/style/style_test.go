package style

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxLine is the longest line in Go, JavaScript, SQL and prose, in characters.
const maxLine = 120

// TestWords checks that no word of words.txt occurs in comments, messages, documentation and pages.
func TestWords(t *testing.T) {
	rules, allowed := readRules(t)
	walk(t, func(file string, text []byte) {
		for _, p := range passages(t, file, text) {
			for i, line := range strings.Split(p.text, "\n") {
				lower := strings.ToLower(line)
				for _, r := range rules {
					found := r.find(line, lower)
					if found != "" && !slices.ContainsFunc(allowed, func(e exception) bool { return e.covers(file, line) }) {
						t.Errorf("%s:%d: %q, write %s: %s", file, p.line+i, found, r.instead, strings.TrimSpace(line))
					}
				}
			}
		}
	})
}

// TestDocComments checks that the comment of a declaration begins with the declared name.
func TestDocComments(t *testing.T) {
	walk(t, func(file string, text []byte) {
		if !strings.HasSuffix(file, ".go") {
			return
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			checkDoc(t, fset, d)
		}
	})
}

func checkDoc(t *testing.T, fset *token.FileSet, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		reportDoc(t, fset, d.Doc, d.Name.Name)
	case *ast.GenDecl:
		if d.Lparen == token.NoPos && d.Tok != token.IMPORT {
			reportDoc(t, fset, d.Doc, specNames(d.Specs[0])...)
			return
		}
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				reportDoc(t, fset, s.Doc, s.Name.Name)
			case *ast.ValueSpec:
				reportDoc(t, fset, s.Doc, specNames(s)...)
			}
		}
	}
}

func specNames(s ast.Spec) (names []string) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []string{s.Name.Name}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// reportDoc reports a doc comment whose first word is an identifier in camel case other than the declared ones, or, for
// an exported name, anything else than the name.
func reportDoc(t *testing.T, fset *token.FileSet, doc *ast.CommentGroup, names ...string) {
	t.Helper()
	if doc == nil || len(names) == 0 {
		return
	}
	fields := strings.Fields(doc.Text())
	if len(fields) == 0 || strings.HasPrefix(fields[0], "Deprecated") {
		return
	}
	first := strings.TrimRight(fields[0], ":,.")
	if slices.Contains([]string{"A", "An", "The"}, first) && len(fields) > 1 {
		first = strings.TrimRight(fields[1], ":,.")
	}
	if slices.Contains(names, first) {
		return
	}
	camel := identifier.MatchString(first) && (strings.ContainsAny(first[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") &&
		first != strings.ToUpper(first))
	if camel || len(names) == 1 && (ast.IsExported(names[0]) && !strings.HasPrefix(names[0], "Test") &&
		!strings.HasPrefix(names[0], "Benchmark")) {
		t.Errorf("%s: the comment of %s begins with %q", fset.Position(doc.Pos()), strings.Join(names, ", "), fields[0])
	}
}

var (
	tableRow = regexp.MustCompile(`^\s*\|`)
	// unbreakable is a URL or other data without a space, a link, or a struct tag.
	unbreakable = regexp.MustCompile("\\S{70,}|\\]\\([^)]{60,}\\)|`json:\"")
	generated   = []string{"docs/reference.md", "docs/configuration.md", "docs/commands.md"}
)

// TestLineLength checks that no line is longer than 120 characters, but for rows of tables, lines with data that cannot be
// broken, and generated files.
func TestLineLength(t *testing.T) {
	walk(t, func(file string, text []byte) {
		if !slices.Contains([]string{".go", ".js", ".ts", ".sql", ".md"}, filepath.Ext(file)) ||
			slices.Contains(generated, file) || strings.HasPrefix(file, "docs/actions/") {
			return
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > maxLine && !tableRow.MatchString(line) && !unbreakable.MatchString(line) {
				t.Errorf("%s:%d: %d characters", file, i+1, n)
			}
		}
	})
}

var stem = regexp.MustCompile(`[a-z]{2,}`)

// rule is a line of words.txt.
type rule struct {
	match, unless *regexp.Regexp
	instead       string
	// stems are the letters in match. A line without any of them cannot match, which is cheaper to find out.
	stems []string
}

func (r rule) find(line, lower string) string {
	if !slices.ContainsFunc(r.stems, func(stem string) bool { return strings.Contains(lower, stem) }) {
		return ""
	}
	if r.unless != nil && r.unless.MatchString(line) {
		return ""
	}
	return r.match.FindString(line)
}

// exception is a line of words.txt that allows what the rules forbid.
type exception struct{ file, line *regexp.Regexp }

func (e exception) covers(file, line string) bool {
	return e.file.MatchString(file) && e.line.MatchString(line)
}

func readRules(t *testing.T) (rules []rule, allowed []exception) {
	t.Helper()
	f, err := os.Open("words.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "allow "); ok {
			what, reason, _ := strings.Cut(rest, " because ")
			file, text, ok := strings.Cut(what, " ")
			if !ok || reason == "" {
				t.Fatalf("words.txt: want allow FILE LINE because REASON: %q", line)
			}
			allowed = append(allowed, exception{regexp.MustCompile(file), regexp.MustCompile(text)})
			continue
		}
		pattern, instead, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("words.txt: no => in %q", line)
		}
		pattern, unless, except := strings.Cut(pattern, " unless ")
		r := rule{match: regexp.MustCompile("(?i)" + pattern), instead: instead}
		r.stems = stem.FindAllString(strings.ToLower(strings.ReplaceAll(pattern, `\b`, " ")), -1)
		if except {
			r.unless = regexp.MustCompile("(?i)" + unless)
		}
		rules = append(rules, r)
	}
	return rules, allowed
}

// passage is a piece of text that a person reads, and the line at which it begins.
type passage struct {
	line int
	text string
}

// passages returns the comments of a Go file and, but for tests, its string literals; of other files, all.
func passages(t *testing.T, file string, text []byte) (all []passage) {
	if !strings.HasSuffix(file, ".go") {
		return []passage{{1, string(text)}}
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range parsed.Comments {
		for _, c := range g.List {
			all = append(all, passage{fset.Position(c.Pos()).Line, c.Text})
		}
	}
	if strings.HasSuffix(file, "_test.go") {
		return all
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			all = append(all, passage{fset.Position(lit.Pos()).Line, lit.Value})
		}
		return true
	})
	return all
}

// skipped are folders and files that are not written by hand, or that are the pages and answers of tests.
var skipped = regexp.MustCompile(
	`(^|/)(\.[a-z]+|testdata|node_modules|bin|dist|site-packages|golden)(/|$)|assets/studio\.js$|^internal/style/|` +
		`package-lock\.json$|/pages/[^/]*\.html$|_gen\.go$`)

var extensions = []string{".go", ".js", ".ts", ".css", ".sql", ".md", ".html", ".tmpl", ".yaml", ".yml", ".sh", ".txt"}

// checked are the files and folders that are checked.
var checked = []string{
	"bench", "cli", "docs", "drivers", "dsl", "farm", "internal", "mcpserver", "reporters", "runner", "server", "suites",
	"CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "README.md", "SECURITY.md", "deps_test.go", "main.go",
}

// walk calls f with each file that is checked: those in STYLE_IN, folders separated by commas, or the ones of checked.
func walk(t *testing.T, f func(file string, text []byte)) {
	t.Helper()
	root := os.Getenv("STYLE_ROOT")
	if root == "" {
		root = filepath.Join("..", "..")
	}
	only := checked
	if in := os.Getenv("STYLE_IN"); in != "" {
		only = strings.Split(in, ",")
	}
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if name != "." && skipped.MatchString(name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || !slices.Contains(extensions, filepath.Ext(name)) || !within(name, only) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		f(name, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		t.Fatalf("no file was checked below %s", root)
	}
}

func within(file string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return f == "" || file == f || strings.HasPrefix(file, strings.TrimSuffix(f, "/")+"/")
	})
}
