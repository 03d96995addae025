package vocabulary

import (
	"fmt"
	"maps"
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

// Remote is a WebDriver server on which tests can run: a driver, a Selenium Grid, an Appium server, a cloud.
type Remote struct {
	URL          Template `json:"url" required:"true" format:"http"`
	User         Template `json:"user,omitempty" minLength:"1"`
	Key          Template `json:"key,omitempty" minLength:"1"`
	Platform     string   `json:"platform,omitempty" enum:"web,android,ios" default:"web"`
	Capabilities AnyValue `json:"capabilities,omitempty"`
	Sessions     int      `json:"sessions,omitempty" minimum:"1" maximum:"100" default:"1"`
	Vendor       string   `json:"vendor,omitempty" enum:"browserstack,saucelabs,lambdatest,testingbot"`
	App          Template `json:"app,omitempty" minLength:"1"`

	Pos source.Pos // of its name
	// Wanted are the capabilities as they are written.
	Wanted source.Value
}

// RemoteServer is a Remote with its variables filled in.
type RemoteServer struct {
	Name string
	// URL has neither user nor key in it.
	URL, User, Key string
	Platform       Platform
	Capabilities   map[string]any
	Sessions       int
	Vendor         string // as under vendor; "": it is known by the host, or the server is of none
	App            string // path of the app that sessions get, relative to the file; "": none
}

// Browser is the browser that sessions have, by the name that tests use; "" when the capabilities do not say, or name
// another one.
func (r RemoteServer) Browser() string {
	name, _ := r.Capabilities["browserName"].(string)
	switch strings.ToLower(name) {
	case "chrome", "chromium", "microsoftedge", "msedge", "chrome-headless-shell":
		return Chromium
	case "firefox":
		return Firefox
	case "safari", "webkit", "minibrowser":
		return WebKit
	}
	return ""
}

// Remote fills in the variables of a remote, which can be those of the file and of the environment. The error is an
// Errors; nothing was sent.
func (c Config) Remote(name, environment string, o expr.ScopeOptions) (out RemoteServer, err error) {
	r := c.Remotes[name]
	fill := remoteFill{prefix: "remotes/" + name + "/", from: r.URL.Source()}
	for key, t := range map[string]Template{"url": r.URL, "user": r.User, "key": r.Key, "app": r.App} {
		fill.note(key, source.Value{Kind: source.String, Text: t.Text, Pos: t.Pos})
	}
	fill.walk("capabilities", r.Wanted)
	c.Vars = append(slices.Clone(c.Vars), fill.vars...)
	scope, err := c.Scope(environment, o)
	if err != nil {
		return out, inEnvironment(err)
	}
	text := func(key string) string {
		value, _ := scope.Value(fill.prefix + key)
		return expr.Show(value)
	}
	out = RemoteServer{Name: name, User: text("user"), Key: text("key"), Platform: Platform(r.Platform),
		Sessions: r.Sessions, Vendor: r.Vendor, App: text("app")}
	if filled, is := fill.filled("capabilities", r.Wanted, text).Go().(map[string]any); is {
		out.Capabilities = filled
	}
	u, err := url.Parse(text("url"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return out, source.Errors{{Pos: r.URL.Pos, Source: r.URL.Source(), Width: len([]rune(r.URL.Text)),
			Msg:  fmt.Sprintf("the URL of the remote %q is not one of a server", name),
			Hint: `it starts with http:// or https:// and names a host: "http://localhost:4444"`}}
	}
	if u.User != nil {
		if out.User != "" || out.Key != "" {
			return out, source.Errors{{Pos: r.URL.Pos, Source: r.URL.Source(), Width: len([]rune(r.URL.Text)),
				Msg:  fmt.Sprintf("the remote %q has two users: one in its URL, one under user and key", name),
				Hint: "remove one of them"}}
		}
		out.User = u.User.Username()
		out.Key, _ = u.User.Password()
		u.User = nil
	}
	out.URL = strings.TrimRight(u.String(), "/")
	return out, nil
}

// inEnvironment corrects the advice about variables, of which a remote has none of its own.
func inEnvironment(err error) error {
	list, is := err.(source.Errors)
	if !is {
		return err
	}
	for i, e := range list {
		if strings.HasPrefix(e.Hint, "set it in the environment") {
			changed := *e
			changed.Hint = "set it in the environment, or under vars"
			list[i] = &changed
		}
	}
	return list
}

// remoteFill makes a variable of each text of a remote, so that they are resolved as the vars of a file are.
type remoteFill struct {
	prefix string
	from   *source.Source
	vars   []expr.Var
}

func (f *remoteFill) note(key string, v source.Value) {
	f.vars = append(f.vars, expr.NewVar(f.prefix+key, v.Text, source.Value{Kind: source.String, Pos: v.Pos}, f.from))
}

// walk notes the texts in a value.
func (f *remoteFill) walk(key string, v source.Value) {
	switch v.Kind {
	case source.String:
		f.note(key, v)
	case source.List:
		for i, item := range v.Items {
			f.walk(fmt.Sprintf("%s/%d", key, i), item)
		}
	case source.Map:
		for i, field := range v.Fields {
			f.walk(fmt.Sprintf("%s/%d", key, i), field.Value)
		}
	}
}

// filled is a value with the texts that walk has noted.
func (f *remoteFill) filled(key string, v source.Value, text func(key string) string) source.Value {
	switch v.Kind {
	case source.String:
		v.Text = text(key)
	case source.List:
		v.Items = slices.Clone(v.Items)
		for i := range v.Items {
			v.Items[i] = f.filled(fmt.Sprintf("%s/%d", key, i), v.Items[i], text)
		}
	case source.Map:
		v.Fields = slices.Clone(v.Fields)
		for i := range v.Fields {
			v.Fields[i].Value = f.filled(fmt.Sprintf("%s/%d", key, i), v.Fields[i].Value, text)
		}
	}
	return v
}

// RemoteNames lists the names of the remotes.
func (c Config) RemoteNames() []string { return slices.Sorted(maps.Keys(c.Remotes)) }

// refusals are the actions, options of one ("biometrics.enrolled") and values of an option that no Appium driver of the
// platform performs, and why.
func (r RemoteServer) refusals() map[string]string {
	held := "Appium holds a phone in portrait or landscape"
	all := map[string]string{
		"setOrientation=upsideDown":                 held,
		"setOrientation=landscapeRight":             held,
		"setOrientation.orientation=upsideDown":     held,
		"setOrientation.orientation=landscapeRight": held,
	}
	switch r.Platform {
	case Android:
		maps.Copy(all, map[string]string{
			"shake":               "Appium's driver for Android has no command for it",
			"push":                "a notification of a server comes from that server only",
			"setStatusBar":        "Appium's driver for Android has no command for it",
			"biometrics.enrolled": "a finger is enrolled in the settings of the phone",
		})
	case IOS:
		all["setStatusBar"] = "Appium's driver for iOS has no command for it"
	default:
		if system, _ := r.Capabilities["platformName"].(string); !strings.EqualFold(system, string(Android)) {
			return nil
		}
		return map[string]string{"openBrowser.viewport": "a page in the browser of a phone is as large as its screen"}
	}
	return all
}

// Check finds what the driver of the remote refuses of a test, before anything runs. The error is a source.Errors.
func (r RemoteServer) Check(t *Test) error {
	refused := r.refusals()
	where := "a remote"
	if r.Name != "" {
		where = "the remote " + r.Name
	}
	var errs source.Errors
	refuse := func(step *Step, word string, at source.Pos, width int) {
		why := refused[word]
		e := &source.Error{Pos: at, Source: step.File, Width: width,
			Msg: fmt.Sprintf("%s does not work on %s", word, where), Hint: why}
		if why != "" && !slices.ContainsFunc(errs, func(o *source.Error) bool { return o.Error() == e.Error() }) {
			errs = append(errs, e)
		}
	}
	t.every(func(step *Step) {
		name := step.Def.Name
		refuse(step, name, step.Pos, len(name))
		refuse(step, name+"="+step.Args.Text, step.Pos, len(name))
		for _, f := range step.Args.Fields {
			refuse(step, name+"."+f.Key, f.Pos, len(f.Key))
			refuse(step, name+"."+f.Key+"="+f.Value.Text, f.Pos, len(f.Key))
		}
	})
	return errs.Err()
}

// ActionNames lists the actions that the steps of a test may perform, each once, and the options that they are given
// ("launch.clear").
func (t *Test) ActionNames() (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	t.every(func(step *Step) {
		add(step.Def.Name)
		for _, f := range step.Args.Fields {
			if f.Value.Text != "false" {
				add(step.Def.Name + "." + f.Key)
			}
		}
	})
	return names
}

// every calls do with each step of the test, those of linked files too.
func (t *Test) every(do func(*Step)) {
	var walk func(Steps)
	walk = func(steps Steps) {
		for step := range steps.All {
			do(step)
			if step.Block != nil {
				walk(step.Block.Steps)
			}
		}
	}
	for _, steps := range []Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		walk(steps)
	}
}
