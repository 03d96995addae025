package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/phrase"
)

var (
	linkTo  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeOf  = regexp.MustCompile("(?s)```.*?\n```|``[^`].*?``|`[^`]*`")
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
)

// TestDocumentsLinks checks that the targets of links exist in the repository, including headings.
func TestDocumentsLinks(t *testing.T) {
	t.Parallel()
	all := documents(t)
	anchors := map[string]map[string]bool{}
	for name, text := range all {
		anchors[name] = map[string]bool{}
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			anchors[name][phrase.Anchor(strings.ReplaceAll(m[1], "`", ""))] = true
		}
	}
	checked := 0
	for name, text := range all {
		for _, m := range linkTo.FindAllStringSubmatch(codeOf.ReplaceAllString(text, ""), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			checked++
			file := name
			if to != "" {
				file = path.Join(path.Dir(name), to)
			}
			if _, err := os.Stat(filepath.Join(repository, filepath.FromSlash(file))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			} else if anchor != "" && !anchors[file][anchor] {
				t.Errorf("%s links to %s: no heading has that anchor", name, m[1])
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d links were checked", checked)
	}
}

// TestReadmeIsShort limits the README; longer text belongs into a page of docs.
func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	text := read(t, repository, "README.md")
	if n := len(text); n > 4<<10 {
		t.Errorf("the README has %d bytes", n)
	}
	images := regexp.MustCompile(`docs/images/[a-z-]+\.png`).FindAllString(text, -1)
	if len(images) != 4 {
		t.Errorf("the README has the images %q, not two in light and dark", images)
	}
	for _, image := range images {
		if info, err := os.Stat(filepath.Join(repository, filepath.FromSlash(image))); err != nil || info.Size() > 120<<10 {
			t.Errorf("%s: %v, %v", image, info, err)
		}
	}
	if info, err := os.Stat(filepath.Join(repository, "docs", "images", "studio.gif")); err != nil || info.Size() > 1<<20 {
		t.Errorf("the recording of Studio: %v, %v", info, err)
	}
}

// TestTroubleshooting checks that every error text of the page, and of the pages of actions, occurs in the code. A …
// replaces variable parts.
func TestTroubleshooting(t *testing.T) {
	t.Parallel()
	said := saidTexts(t)
	rows := 0
	for name, page := range documents(t) {
		if name != "docs/troubleshooting.md" && !strings.HasPrefix(name, "docs/actions/") {
			continue
		}
		_, page, _ = strings.Cut(page, "| message | what to do |")
		for line := range strings.Lines(page) {
			first, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
			if !ok || !strings.HasPrefix(line, "| `") {
				continue
			}
			rows++
			text := strings.TrimSpace(strings.Trim(first, "`"))
			for _, part := range strings.Split(text, "…") {
				if part = strings.TrimSpace(part); strings.Trim(part, ":;,.()") != "" && !strings.Contains(said, part) {
					t.Errorf("%s: %q: the code never says %q", name, text, part)
				}
			}
		}
	}
	if rows < 100 {
		t.Errorf("only %d texts were checked", rows)
	}
}

// saidTexts returns all texts of the code; a formatting verb ends a text.
func saidTexts(t *testing.T) string {
	verb := regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)
	var b strings.Builder
	err := filepath.WalkDir(repository, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if text, ok := constantText(e); ok {
					b.WriteString(verb.ReplaceAllString(text, "\n") + "\n")
					return false
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// constantText is a text, or several that are added.
func constantText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, a := constantText(e.X)
		right, b := constantText(e.Y)
		return left + right, e.Op == token.ADD && a && b
	}
	return "", false
}
