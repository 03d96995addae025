package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/mailbox/mailboxtest"
)

// TestRecipesAreListed checks that docs/recipes.md shows every file of suites/recipes.
func TestRecipesAreListed(t *testing.T) {
	t.Parallel()
	page := read(t, repository, "docs", "recipes.md")
	found := 0
	for _, pattern := range []string{"*.yaml", "*/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(repository, "suites", "recipes", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, err := filepath.Rel(repository, file)
			if err != nil {
				t.Fatal(err)
			}
			if found++; !strings.Contains(page, "```yaml "+filepath.ToSlash(name)+"\n") {
				t.Errorf("docs/recipes.md does not show %s", name)
			}
		}
	}
	if n := strings.Count(page, "\n## "); n != 20 || found < n {
		t.Errorf("docs/recipes.md has %d recipes, and there are %d files", n, found)
	}
}

// TestRecipesOfASite runs the recipes that need a server: it serves a page with a sign-in, and its one-time codes.
func TestRecipesOfASite(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	page := read(t, repository, "suites", "pages", "account.html")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/codes" && r.FormValue("to") == "ada@example.com" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"code": "246810"}`)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	defer site.Close()
	l := newLab(t, 0)
	for _, name := range []string{"one-time-code.yaml", "sign-in.yaml", "account.yaml"} {
		l.write(name, read(t, repository, "suites", "recipes", "yours", name))
	}
	l.taproot("run", "account.yaml", "-e", "SITE="+site.URL).exits(t, 0)
	if got := fmt.Sprint(l.results()); got != "map[account:pass sign-in:pass]" {
		t.Error(got)
	}
}

// TestRecipesOfThisMachine runs the recipes that need something of the machine: a program, which a run has to allow,
// and a mail server.
func TestRecipesOfThisMachine(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	l := newLab(t, 0)
	l.dir = repository
	program := "suites/recipes/yours/run-a-program.yaml"
	l.taproot("run", program, "--allow-exec").exits(t, 0)
	e := l.taproot("run", program)
	e.exits(t, 1)
	has(t, "stdout", e.stdout, "exec steps are not allowed here", "--allow-exec")
	mail := mailboxtest.NewMailpit(t)
	l.taproot("run", "suites/recipes/yours/mail-code.yaml", "-e", "MAIL_URL="+mail.Base()).exits(t, 0)
	e = l.taproot("run", "suites/recipes/known-failure.yaml")
	e.exits(t, 0)
	has(t, "stdout", e.stdout, "EXPECTED recipe-known-failure")
}

// TestStatementsOfMaestro checks that the steps of the second column of Maestro's statements are valid.
func TestStatementsOfMaestro(t *testing.T) {
	t.Parallel()
	page := read(t, repository, "docs", "coming-from-maestro.md")
	_, table, found := strings.Cut(page, "| Maestro | Taproot | Exceptions |")
	if !found {
		t.Fatal("docs/coming-from-maestro.md has no table of statements")
	}
	checked := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) < 3 {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			checkSteps(t, block{file: "docs/coming-from-maestro.md", text: "- " + m[1] + "\n"})
			checked++
		}
	}
	if checked < 50 {
		t.Errorf("only %d steps were checked", checked)
	}
}
