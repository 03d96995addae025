package vocabulary

import (
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/source"
)

// Template is a text of a taproot.yaml with variables that a run fills in.
type Template = expr.Template

// TemplateType is that of texts that wait for the variables of a run.
var TemplateType = reflect.TypeFor[Template]()

// StartServer is one server of the app: it is started before the first test and stopped after the last.
type StartServer struct {
	Name      string              `json:"name" required:"true" format:"variable"`
	Run       []Template          `json:"run" required:"true" minItems:"1"`
	Cwd       Template            `json:"cwd,omitempty" minLength:"1"`
	Env       map[string]Template `json:"env,omitempty"`
	URL       Template            `json:"url,omitempty" format:"http"`
	Output    string              `json:"output,omitempty" minLength:"1" format:"regex"`
	Port      int                 `json:"port,omitempty" minimum:"1" maximum:"65535"`
	TimeoutMs int                 `json:"timeout,omitempty" format:"duration" minimum:"1" maximum:"3600000" default:"60000"`
	Reuse     bool                `json:"reuse,omitempty"`

	Pos source.Pos // of the entry
}

func (StartServer) rules() []Rule {
	return []Rule{
		exactlyOne("url output port").says(`"start" does not say when the server is ready`,
			`give one of url: "http://localhost:8080", port: 8080 and output: "listening on port (\\d+)"`),
		exclude("reuse", "output").says("", "whether it runs already is found out by url or port"),
	}
}

// Server is a StartServer with its variables filled in.
type Server struct {
	Name    string
	Pos     source.Pos
	Run     []string // the program and its arguments
	Cwd     string   // relative to the file, or absolute
	Env     []string // NAME=value, sorted
	URL     string
	Output  *regexp.Regexp
	Port    int
	Timeout time.Duration
	Reuse   bool
	Secrets []string // values that no log may show

	File *source.Source
}

// Scope has the variables of the settings alone, with those of an environment. The error is an Errors.
func (c Config) Scope(environment string, o expr.ScopeOptions) (*expr.Scope, error) {
	vars := slices.Clone(c.Vars)
	for _, v := range c.Environments[environment].Vars {
		vars = append(slices.DeleteFunc(vars, func(other expr.Var) bool { return other.Name == v.Name }), v)
	}
	return expr.ResolveScope(nil, vars, o)
}

// Servers fills in the variables of start. The error is an *Error.
func (c Config) Servers(scope *expr.Scope) (servers []Server, err error) {
	var secrets []string
	for _, name := range c.Secrets {
		if x, known := scope.Value(name); known {
			secrets = append(secrets, expr.Show(x))
		}
	}
	for _, s := range c.Start {
		filled, err := s.filled(scope)
		if err != nil {
			return nil, err
		}
		filled.Secrets = secrets
		servers = append(servers, filled)
	}
	return servers, nil
}

func (s StartServer) filled(scope *expr.Scope) (Server, error) {
	var bad error
	fill := func(t Template) string {
		text, err := scope.Template(t)
		if bad == nil && err != nil {
			bad = err
		}
		return text
	}
	wrong := func(t Template, msg, hint string) {
		if bad == nil {
			bad = &source.Error{Pos: t.Pos, Source: t.Source(), Width: len([]rune(t.Text)), Msg: msg, Hint: hint}
		}
	}
	out := Server{Name: s.Name, Pos: s.Pos, Port: s.Port, Timeout: time.Duration(s.TimeoutMs) * time.Millisecond,
		Reuse: s.Reuse, Cwd: fill(s.Cwd), URL: fill(s.URL), File: s.Run[0].Source()}
	for _, part := range s.Run {
		out.Run = append(out.Run, fill(part))
	}
	for name, value := range s.Env {
		out.Env = append(out.Env, name+"="+fill(value))
	}
	slices.Sort(out.Env)
	if s.Output != "" {
		out.Output = regexp.MustCompile(s.Output) // the check has compiled it
	}
	u, err := url.Parse(out.URL)
	if s.URL.Text != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		wrong(s.URL, fmt.Sprintf("%q is not the URL of a server", out.URL), `for example "http://localhost:8080"`)
	}
	if strings.TrimSpace(out.Run[0]) == "" {
		wrong(s.Run[0], "the name of the program is empty", "for example: run: [node, server.js]")
	}
	return out, bad
}
