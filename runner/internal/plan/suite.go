package plan

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// suites are the taproot.yaml files by the folder to which they apply.
type suites struct {
	o     Options
	known map[string]config
	roots map[string]string
	files map[string]config // taproot.yaml of a folder; empty without one

	started map[string][]Server
	readBy  map[string][]string // files, by the id of the test
	needed  map[string]bool     // ids of tests that others need
}

func newSuites(o Options) *suites {
	return &suites{o: o, known: map[string]config{}, roots: map[string]string{},
		files: map[string]config{}, started: map[string][]Server{},
		readBy: map[string][]string{}}
}

// of returns the settings that apply to a folder.
func (s *suites) of(dir string) (config, error) {
	if c, ok := s.known[dir]; ok {
		return c, nil
	}
	c, err := findConfig(dir, s.o)
	if err == nil {
		s.known[dir] = c
	}
	return c, err
}

// prepare adds the suite's settings to the test, and reads the files that it runs, and its rows of data.
func (s *suites) prepare(t *dsl.Test) (*dsl.Test, config, []dsl.Row, error) {
	dir := filepath.Dir(absolute(s.o.Dir, t.Pos.File))
	conf, err := s.of(dir)
	if err != nil {
		return nil, conf, nil, err
	}
	own := *t
	own.Tags = append(slices.Clone(t.Tags), conf.Tags...)
	own.Secrets = append(slices.Clone(t.Secrets), conf.Secrets...)
	own.Before = append(conf.Before.Clone(), t.Before...)
	own.OnFailure = append(slices.Clone(t.OnFailure), conf.OnFailure.Clone()...)
	own.After = append(slices.Clone(t.After), conf.After.Clone()...)
	if err := s.environment(&own, &conf); err != nil {
		return nil, conf, nil, err
	}
	if own.TimeoutMs == nil {
		own.TimeoutMs = conf.TimeoutMs
	}
	if own.Retries == nil {
		own.Retries = conf.Retries
	}
	if s.o.Retries != nil {
		own.Retries = s.o.Retries
	}
	if own.Fails != nil && own.Fails.Until != "" && s.o.Today > own.Fails.Until { // dates compare as texts
		own.Fails = nil
	}
	for _, hooks := range []dsl.Steps{conf.Before, conf.OnFailure, conf.After} {
		if err := dsl.CheckPlatform(hooks, t.Platform); err != nil {
			return nil, conf, nil, err
		}
	}
	var reads []string
	within := s.reader(dir, conf)
	read := func(name string) ([]byte, error) {
		reads = append(reads, absolute(s.o.Dir, name))
		return within(name)
	}
	defer func() { s.readBy[t.ID] = reads }()
	foreign := func(file string, src []byte) (*dsl.Block, error) {
		if !maestro.Is(src) {
			return nil, nil
		}
		f, err := maestro.Parse(file, src, s.o.filesOf(dir))
		if err != nil {
			return nil, err
		}
		return f.Block(), nil
	}
	if err := dsl.LinkWith(&own, read, foreign); err != nil {
		return nil, conf, nil, err
	}
	for _, file := range own.OwnFiles {
		reads = append(reads, absolute(s.o.Dir, file))
		s.o.reads(absolute(s.o.Dir, file))
	}
	rows, err := own.Rows(func(name string) ([]byte, error) { return read(path.Join(path.Dir(t.Pos.File), name)) })
	return &own, conf, rows, err
}

// environment adds the values of --env NAME, which override those of the suite and the test.
func (s *suites) environment(t *dsl.Test, conf *config) error {
	if s.o.Environment == "" {
		return nil
	}
	chosen, ok := conf.Environments[s.o.Environment]
	if !ok {
		if name, _, isValue := strings.Cut(s.o.Environment, "="); isValue {
			return &Usage{fmt.Sprintf("--env %s: --env takes the name of an environment in %s; for the variable %s, write -e %s",
				s.o.Environment, ConfigName, name, s.o.Environment)}
		}
		names := slices.Sorted(maps.Keys(conf.Environments))
		if len(names) == 0 {
			return &Usage{fmt.Sprintf("--env %s: %s has no environments", s.o.Environment, ConfigName)}
		}
		return &Usage{fmt.Sprintf("--env %s: the environments are %s", s.o.Environment, strings.Join(names, ", "))}
	}
	taken := func(v dsl.Var) bool {
		return slices.ContainsFunc(chosen.Vars, func(c dsl.Var) bool { return c.Name == v.Name })
	}
	t.Vars = slices.DeleteFunc(slices.Clone(t.Vars), taken)
	conf.Vars = append(slices.DeleteFunc(slices.Clone(conf.Vars), taken), chosen.Vars...)
	t.Tags = append(t.Tags, chosen.Tags...)
	conf.TimeoutMs, conf.Retries = cmp.Or(chosen.TimeoutMs, conf.TimeoutMs), cmp.Or(chosen.Retries, conf.Retries)
	return nil
}

// reader reads the files that tests name, but none outside of the suite: the folder of its taproot.yaml, otherwise the
// project's root.
func (s *suites) reader(dir string, conf config) func(string) ([]byte, error) {
	root := conf.dir
	if root == "" {
		root = s.root(dir)
	}
	return func(name string) ([]byte, error) {
		inside, err := filepath.Rel(root, absolute(s.o.Dir, name))
		if err != nil || !filepath.IsLocal(inside) {
			return nil, fmt.Errorf("it is outside of the suite, which is the folder %s", root)
		}
		folder, err := os.OpenRoot(root)
		if err != nil {
			return nil, err
		}
		defer folder.Close()
		info, err := folder.Stat(inside)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, &dsl.NoFile{Near: near(root, filepath.Join(root, inside), dir)}
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a file", name)
		case info.Size() > dsl.MaxFileSize:
			return nil, fmt.Errorf("it is larger than %d bytes", dsl.MaxFileSize)
		}
		s.o.reads(filepath.Join(root, inside))
		return folder.ReadFile(inside)
	}
}

// root is the project's root above a folder, or the folder itself.
func (s *suites) root(dir string) string {
	if root, ok := s.roots[dir]; ok {
		return root
	}
	root := dir
	for at := dir; filepath.Dir(at) != at; at = filepath.Dir(at) {
		if isRoot(at) {
			root = at
			break
		}
	}
	s.roots[dir] = root
	return root
}

// ordered puts the tests that the suites' order names first.
func (s *suites) ordered(tests []*dsl.Test) []*dsl.Test {
	rank := map[string]int{}
	for _, c := range s.known {
		for i, id := range c.Order {
			rank[id] = i - len(c.Order)
		}
	}
	slices.SortStableFunc(tests, func(a, b *dsl.Test) int { return rank[a.ID] - rank[b.ID] })
	return tests
}
