package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// listTestsArgs are those of the tool list_tests.
type listTestsArgs struct {
	Path string `json:"path,omitempty" minLength:"1" doc:"File or folder. Default: suites, else the working folder."`
}

// testRecord is a test as list_tests shows it.
type testRecord struct {
	ID       string   `json:"id"`
	Name     string   `json:"name,omitempty"`
	Platform string   `json:"platform"`
	Place    string   `json:"place"`
	Tags     []string `json:"tags,omitempty"`
	Cases    int      `json:"cases"`
}

// testList is the result of list_tests.
type testList struct {
	Tests []testRecord `json:"tests"`
}

func listTests(_ context.Context, c *call) (*mcp.CallToolResult, error) {
	var args []string
	if p := c.args.(listTestsArgs).Path; p != "" {
		args = []string{p}
	}
	list := testList{Tests: []testRecord{}}
	planned, err := c.plan(c.server.conf.Runner, args...)
	if errors.Is(err, errNoTests) && len(args) == 0 {
		return structured(list) // a project without tests
	}
	if err != nil {
		return nil, err
	}
	places := map[string]int{}
	for _, one := range planned.Cases {
		t := one.Test
		place := fmt.Sprintf("%s:%d", t.Pos.File, t.Pos.Line)
		i, known := places[place]
		if !known {
			i = len(list.Tests)
			places[place] = i
			list.Tests = append(list.Tests, testRecord{ID: t.ID, Name: t.Name, Platform: string(t.Platform), Place: place,
				Tags: t.Tags})
		}
		list.Tests[i].Cases++
	}
	return structured(list)
}

// validateArgs are those of the tool validate_test.
type validateArgs struct {
	Path string `json:"path,omitempty" minLength:"1" doc:"A test's file, a folder, or a test's id."`
	YAML string `json:"yaml,omitempty" minLength:"1" doc:"The text of a test instead."`
}

// validated is the result of validate_test for tests without an error.
type validated struct {
	Valid    bool     `json:"valid"`
	Tests    []string `json:"tests"`
	Warnings []string `json:"warnings,omitempty"`
}

func validateTest(_ context.Context, c *call) (*mcp.CallToolResult, error) {
	a, conf := c.args.(validateArgs), c.runConfig(runTestArgs{})
	var planned *plan.Plan
	var err error
	switch {
	case (a.Path == "") == (a.YAML == ""):
		return nil, &client.Refusal{What: "validate_test needs either path or yaml"}
	case a.Path != "":
		planned, err = c.plan(conf, a.Path)
	default:
		planned, err = c.planText(conf, a.YAML)
	}
	if err != nil {
		return nil, err
	}
	v := validated{Valid: true, Tests: []string{}}
	seen := map[string]bool{}
	for _, one := range planned.Cases {
		if seen["test "+one.Test.ID] {
			continue
		}
		seen["test "+one.Test.ID] = true
		v.Tests = append(v.Tests, one.Test.ID)
		for _, w := range dsl.Lint(one.Test) {
			if s := w.Error(); !seen[s] {
				seen[s] = true
				v.Warnings = append(v.Warnings, s)
			}
		}
	}
	return structured(v)
}

// plan builds the cases of a file, a folder or an id. It first makes sure that no file outside of the working folder is
// read.
func (c *call) plan(conf run.Config, args ...string) (*plan.Plan, error) {
	if err := c.enclosed(args); err != nil {
		return nil, err
	}
	return c.planned(conf.Plan(args...))
}

// planText builds the cases of a test that has no file.
func (c *call) planText(conf run.Config, text string) (*plan.Plan, error) {
	tests, err := dsl.Parse("test.yaml", []byte(text), c.server.own("."))
	if err != nil {
		return nil, &client.Refusal{What: err.Error(),
			Try: "fix these and call again; taproot://reference has the test syntax"}
	}
	for _, t := range tests {
		if err := c.server.linked(t, "."); err != nil {
			return nil, err
		}
	}
	return c.planned(conf.PlanSent(nil, plan.Source{Name: "test.yaml", Text: []byte(text)}))
}

var errNoTests = errors.New("no tests were found")

func (c *call) planned(p *plan.Plan, err error) (*plan.Plan, error) {
	var usage *plan.Usage
	try := "list_tests shows the tests"
	if c.tool.name == "list_tests" {
		try = "a folder or file below the server's folder, or no path"
	}
	switch {
	case errors.As(err, &usage):
		return nil, &client.Refusal{What: usage.Msg, Try: try}
	case err != nil:
		return nil, &client.Refusal{What: err.Error(),
			Try: "fix these and call again; taproot://reference has the test syntax"}
	case len(p.Cases) == 0:
		return nil, &client.Refusal{Err: errNoTests, What: errNoTests.Error(), Try: try}
	}
	return p, nil
}

// outside is the error for a path that leads out of the working folder.
func outside(name string) error {
	return &client.Refusal{What: fmt.Sprintf("%q is outside of the working folder, or a link in it leads there",
		phrase.LimitRunes(name, 200)),
		Try: "files are read and written below the folder in which the server was started"}
}

// enclosed makes sure that the files of tests, and the files that they refer to, are in the working folder.
func (c *call) enclosed(args []string) error {
	if len(args) == 0 {
		args = []string{"suites"}
		if info, err := c.server.root.Stat("suites"); err != nil || !info.IsDir() {
			args = []string{"."}
		}
	}
	for _, arg := range args {
		if strings.ContainsRune(arg, 0) {
			return outside(arg)
		}
		name, ok := c.inside(arg)
		if !ok {
			return outside(arg)
		}
		switch _, err := c.server.root.Stat(name); {
		case errors.Is(err, fs.ErrNotExist) && filepath.Base(arg) == arg: // an id: any file may contain it
			if name = "suites"; c.missing(name) {
				name = "."
			}
		case errors.Is(err, fs.ErrNotExist):
			continue // the plan reports it
		case err != nil:
			return outside(arg)
		}
		if err := c.enclose(name); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) missing(name string) bool { _, err := c.server.root.Stat(name); return err != nil }

// inside makes a path relative to the working folder.
func (c *call) inside(name string) (string, bool) {
	p := filepath.FromSlash(name)
	if filepath.IsAbs(p) {
		for _, dir := range []string{c.server.root.Name(), c.server.conf.Runner.Dir} {
			if rel, err := filepath.Rel(dir, p); err == nil && filepath.IsLocal(rel) {
				return rel, true
			}
		}
		return "", false
	}
	p = filepath.Clean(p)
	return p, filepath.IsLocal(p)
}

// enclose checks a file, or all tests of a folder.
func (c *call) enclose(name string) error {
	return fs.WalkDir(c.server.root.FS(), filepath.ToSlash(name), func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && p == filepath.ToSlash(name):
			return outside(name)
		case err != nil:
			return nil // a file that cannot be read is not a test
		case d.IsDir() && p != filepath.ToSlash(name) && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".yaml") && !strings.HasSuffix(p, ".yml"):
			return nil
		}
		data, err := c.server.read(p)
		if err != nil {
			return outside(p)
		}
		tests, err := dsl.Parse(p, data, c.server.own(path.Dir(p)))
		if err != nil {
			return nil // the plan reports it, if the file is part of it
		}
		for _, t := range tests {
			if err := c.server.linked(t, path.Dir(p)); err != nil {
				return err
			}
		}
		return nil
	})
}

// own are the own actions that tests in a folder can use.
func (s *clientSession) own(dir string) *dsl.Own {
	return s.conf.Runner.OwnActions(filepath.Join(s.conf.Runner.Dir, filepath.FromSlash(dir)))
}

// linked makes sure that a test refers to no file outside of the working folder.
func (s *clientSession) linked(t *dsl.Test, dir string) error {
	var left error
	read := func(name string) ([]byte, error) {
		data, err := s.read(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			left = outside(name)
		}
		return data, err
	}
	_ = dsl.Link(t, read) // the plan reports all other errors
	for _, name := range t.OwnFiles {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			left = outside(name)
		}
	}
	_, _ = t.Rows(func(name string) ([]byte, error) { return read(path.Join(dir, name)) })
	return left
}

// read reads a file of the working folder, up to the maximum size of a test.
func (s *clientSession) read(name string) ([]byte, error) {
	f, err := s.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, os.ErrInvalid)
	}
	return io.ReadAll(io.LimitReader(f, dsl.MaxFileSize+1))
}
