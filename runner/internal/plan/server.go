package plan

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// Server is one server of the app with its variables filled in: what start in a taproot.yaml says.
type Server struct {
	Key     string // the folder of its file, relative to the working folder, and its name
	Name    string
	Place   source.Pos
	Run     []string // the program and its arguments
	Dir     string   // where it runs, absolute
	Env     []string // NAME=value, sorted
	URL     string   // one of URL, Output and Port says when it is ready
	Output  *regexp.Regexp
	Port    int
	Timeout time.Duration
	Reuse   bool
	Secrets []string // values that no log may show
}

// Values are what ${start.NAME…} is before the server runs: each name, and "0" in place of what only its output says.
func (s Server) Values() map[string]any {
	values := map[string]any{}
	if s.Port != 0 {
		values["port"] = strconv.Itoa(s.Port)
	}
	if s.URL != "" {
		values["url"] = s.URL
		if u, err := url.Parse(s.URL); err == nil {
			values["port"] = cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
		}
	}
	if s.Output != nil {
		for i, name := range s.Output.SubexpNames() {
			switch {
			case i > 0 && name != "":
				values[name] = "0"
			case i > 0 && values["port"] == nil:
				values["port"] = "0"
			}
		}
	}
	return values
}

// above returns the settings that apply to a folder from its project's root on: those of the root first, the nearest
// last. A missing taproot.yaml has none.
func (s *suites) above(dir string) ([]config, error) {
	var all []config
	for at := dir; ; at = filepath.Dir(at) {
		c, known := s.files[at]
		if !known {
			var found bool
			var err error
			if c, found, err = readConfig(at, s.o); err != nil {
				return nil, err
			}
			if !found {
				c = config{}
			}
			s.files[at] = c
		}
		if c.dir != "" {
			all = append(all, c)
		}
		if isRoot(at) || filepath.Dir(at) == at {
			slices.Reverse(all)
			return all, nil
		}
	}
}

// base returns the settings with the site and the evidence of the tests in a folder. The site is that of the chosen
// environment, otherwise that of the nearest taproot.yaml that names one.
func (s *suites) base(dir string) (base dsl.Config, err error) {
	all, err := s.above(dir)
	if err != nil {
		return base, err
	}
	for _, c := range all {
		if c.BaseURL.Text != "" {
			base.BaseURL = c.BaseURL
		}
		base.Evidence = c.Evidence.Or(base.Evidence)
	}
	for _, c := range all {
		if e := c.Environments[s.o.Environment]; e.BaseURL.Text != "" {
			base.BaseURL = e.BaseURL
		}
	}
	return base, nil
}

// servers returns the servers of the tests in a folder, those of the root first.
func (s *suites) servers(dir string) (list []Server, err error) {
	if list, known := s.started[dir]; known {
		return list, nil
	}
	all, err := s.above(dir)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if len(c.Start) == 0 {
			continue
		}
		scope, err := c.Scope(s.o.Environment, dsl.ScopeOptions{Overrides: s.o.Vars, Env: s.o.Env})
		if err != nil {
			return nil, &ConfigError{err}
		}
		filled, err := c.Servers(scope)
		if err != nil {
			return nil, &ConfigError{err}
		}
		for _, f := range filled {
			if i := slices.IndexFunc(list, func(o Server) bool { return o.Name == f.Name }); i >= 0 {
				return nil, &ConfigError{&source.Error{Pos: f.Pos, Source: f.File, Width: 1,
					Msg:  fmt.Sprintf("the name %q of a server is taken", f.Name),
					Hint: fmt.Sprintf("%s has it, and applies here, too; choose another one", list[i].Place)}}
			}
			cwd := filepath.FromSlash(f.Cwd)
			if !filepath.IsAbs(cwd) {
				cwd = filepath.Join(c.dir, cwd)
			}
			list = append(list, Server{Key: s.fromDir(c.dir) + ":" + f.Name, Name: f.Name, Place: f.Pos,
				Run: f.Run, Dir: cwd, Env: f.Env, URL: f.URL, Output: f.Output, Port: f.Port, Timeout: f.Timeout,
				Reuse: f.Reuse, Secrets: f.Secrets})
		}
	}
	s.started[dir] = list
	return list, nil
}

// fromDir is a folder relative to the working folder: the same on a host of a farm, to which the tests were sent.
func (s *suites) fromDir(dir string) string {
	if rel, err := filepath.Rel(absolute(s.o.Dir, "."), dir); err == nil {
		return filepath.ToSlash(rel)
	}
	return dir
}

// Servers are the servers that the cases of the plan need, each once.
func (p *Plan) Servers() (list []Server) {
	known := map[string]bool{}
	for _, c := range p.Cases {
		for _, s := range c.Servers {
			if !known[s.Key] {
				known[s.Key] = true
				list = append(list, s)
			}
		}
	}
	return list
}

// GiveStart adds ${start} to the case: the values of its servers, as far as they are known.
func (c *Case) GiveStart(values func(Server) map[string]any) {
	if len(c.Servers) == 0 {
		return
	}
	start := map[string]any{}
	for _, s := range c.Servers {
		start[s.Name] = values(s)
	}
	c.Give("start", start)
}

// Give adds a value of the run to the case. Copies of the case that were made before do not get it.
func (c *Case) Give(name string, value map[string]any) {
	given := maps.Clone(c.Given)
	if given == nil {
		given = map[string]any{}
	}
	given[name] = value
	c.Given = given
}
