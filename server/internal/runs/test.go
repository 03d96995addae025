package runs

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/shared"
)

// tests has the tests that clients can run.
type tests struct {
	o      Options
	folder *upload.Folder
	shared *shared.Project // that several servers share; nil: only this one has the tests
}

// Test is a test that can be run.
type Test struct {
	ID       string       `json:"id"`
	Name     string       `json:"name,omitempty"`
	Platform dsl.Platform `json:"platform" doc:"android, ios, web, both (android and ios), or several with commas." example:"android"`
	Tags     []string     `json:"tags" nullable:"false"`
	File     string       `json:"file,omitempty"`
	Line     int          `json:"line,omitempty"`
	Steps    int          `json:"steps" doc:"Steps in the file, without nested ones."`
}

// Mistake is an error in a test.
type Mistake struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty" doc:"How to fix it."`
	Fix     string `json:"fix,omitempty" doc:"The step to write instead of one with a word of another tool."`
}

type testList struct {
	Body struct {
		Tests    []Test    `json:"tests" nullable:"false"`
		Problems []Mistake `json:"problems" nullable:"false" doc:"Files that cannot be read as tests."`
	}
}

type validateInput struct {
	Body struct {
		YAML string `json:"yaml" minLength:"1" doc:"The text of a file of tests."`
	}
}

type validation struct {
	Body struct {
		Valid    bool      `json:"valid"`
		Tests    []Test    `json:"tests" nullable:"false"`
		Problems []Mistake `json:"problems" nullable:"false"`
	}
}

const uploadTestsDoc = `Takes an archive (tar.gz) of a folder of tests as multipart/form-data, in the part "tests". The
content of the archive replaces everything in the folder of tests; the response lists the tests, and their errors. Only
projects of a server with accounts have a folder that clients may write.`

// UploadedTests are the tests in the folder after an upload.
type UploadedTests struct {
	Files    int       `json:"files"`
	Tests    []Test    `json:"tests" nullable:"false"`
	Problems []Mistake `json:"problems" nullable:"false" doc:"Files that cannot be read as tests."`
}

// uploadTests replaces a project's folder of tests. Clients cannot replace the folder of an operator.
func (s *tests) uploadTests(w http.ResponseWriter, r *http.Request) error {
	if !s.o.OwnFiles {
		return rest.Fault(http.StatusForbidden, rest.CodeForbidden,
			"the tests of this server belong to its operator; only projects of taproot serve --service accept tests")
	}
	return s.o.Uploads.Part(w, r, testsPart, func(ctx context.Context, _ string, archive io.Reader) error {
		n, err := s.replaceTests(ctx, archive)
		if err != nil {
			return err
		}
		tests, problems, err := s.o.Sandbox.RunConfig().Tests()
		if err != nil {
			return err
		}
		rest.WriteJSON(w, http.StatusOK, UploadedTests{Files: n, Tests: testsOf(tests), Problems: s.mistakes(problems)})
		return nil
	})
}

func (s *tests) replaceTests(ctx context.Context, archive io.Reader) (files int, err error) {
	if s.shared != nil {
		return s.shared.ReplaceTests(ctx, archive)
	}
	return s.folder.Replace(ctx, archive, nil)
}

func (s *tests) listTests(context.Context, *struct{}) (*testList, error) {
	tests, problems, err := s.o.Sandbox.RunConfig().Tests()
	if err != nil {
		return nil, err
	}
	out := &testList{}
	out.Body.Tests, out.Body.Problems = testsOf(tests), s.mistakes(problems)
	return out, nil
}

// validateTests checks a file as a run of it would.
func (s *tests) validateTests(_ context.Context, in *validateInput) (*validation, error) {
	out := &validation{}
	p, err := s.o.Sandbox.RunConfig().PlanSent(nil, plan.Source{Name: rest.SentFile, Text: []byte(in.Body.YAML)})
	out.Body.Problems, out.Body.Tests = []Mistake{}, []Test{}
	var usage *plan.Usage
	switch {
	case errors.As(err, &usage):
		out.Body.Problems = []Mistake{{Message: usage.Error()}}
	case err != nil:
		out.Body.Problems = s.mistakes([]error{err})
	default:
		out.Body.Valid = true
		var tests []*dsl.Test
		for _, c := range p.Cases {
			if !slices.Contains(tests, c.Test) &&
				!slices.ContainsFunc(tests, func(t *dsl.Test) bool { return t.ID == c.Test.ID }) {
				tests = append(tests, c.Test)
			}
		}
		out.Body.Tests = testsOf(tests)
	}
	return out, nil
}

func testsOf(tests []*dsl.Test) []Test {
	list := []Test{}
	for _, t := range tests {
		one := Test{ID: t.ID, Name: t.Name, Platform: t.Platform, Tags: t.Tags, File: t.Pos.File, Line: t.Pos.Line,
			Steps: len(t.Steps)}
		if one.Tags == nil {
			one.Tags = []string{}
		}
		list = append(list, one)
	}
	return list
}

// mistakes converts errors of the test syntax, which may be nested.
func (s *tests) mistakes(problems []error) []Mistake {
	list := []Mistake{}
	for _, problem := range problems {
		list = append(list, s.mistake(problem)...)
	}
	return list
}

func (s *tests) mistake(problem error) (list []Mistake) {
	var many plan.Problems
	var errs source.Errors
	var one *source.Error
	switch {
	case errors.As(problem, &many):
		return s.mistakes(many)
	case errors.As(problem, &errs):
		for _, e := range errs {
			list = append(list, s.place(e))
		}
		return list
	case errors.As(problem, &one):
		return []Mistake{s.place(one)}
	}
	return []Mistake{{Message: markdown.Visible(s.o.Mask.Text(problem.Error()), rest.MaxMessage)}}
}

func (s *tests) place(e *source.Error) Mistake {
	return Mistake{File: e.Pos.File, Line: e.Pos.Line, Column: e.Pos.Col, Message: markdown.Visible(s.o.Mask.Text(e.Msg),
		rest.MaxMessage),
		Hint: strings.TrimSpace(markdown.Visible(s.o.Mask.Text(e.Hint), rest.MaxMessage)),
		Fix:  markdown.Visible(s.o.Mask.Text(e.Fix), rest.MaxMessage)}
}
