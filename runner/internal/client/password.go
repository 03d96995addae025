package client

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// Passwords are the passwords that a client typed, by the names of the variables that replace them in recorded steps.
// It is safe for concurrent use.
type Passwords struct {
	mu      sync.Mutex
	exposed map[string]string // values that have a variable already
	byName  map[string]string
}

func newPasswords(exposed map[string]string) *Passwords {
	return &Passwords{exposed: exposed, byName: map[string]string{}}
}

// replaceTyped replaces a text that was typed into a password field by a variable, and returns its name.
func (p *Passwords) replaceTyped(ctx context.Context, s *action.Performer, detail *event.Detail, def *dsl.Def,
	v source.Value) (source.Value, []string) {
	v, names := p.Replace(v)
	if len(names) > 0 || s == nil || def.Name != "input" && def.Name != "webType" {
		return v, names
	}
	typed, key := v.Text, ""
	if v.Kind == source.Map {
		f, given := v.Get("text")
		if !given {
			return v, nil
		}
		typed, key = f.Value.Text, "text"
	}
	if typed == "" || strings.Contains(typed, "${") {
		return v, nil
	}
	if (detail == nil || !detail.Secret) && !passwordFocused(ctx, s) {
		return v, nil
	}
	name := p.name(typed)
	said := source.Value{Kind: source.String, Text: "${" + name + "}"}
	if key == "" {
		return said, []string{name}
	}
	return v.With(key, said), []string{name}
}

// Replace replaces the passwords for HTTP authentication and of mail servers in a step's argument, and in the steps
// inside it, by variables. It returns the names of these variables.
func (p *Passwords) Replace(v source.Value) (source.Value, []string) {
	var names []string
	replace := func(inner source.Value) source.Value {
		inner, more := p.Replace(inner)
		names = append(names, more...)
		return inner
	}
	v.Items, v.Fields = slices.Clone(v.Items), slices.Clone(v.Fields)
	for i := range v.Items {
		v.Items[i] = replace(v.Items[i])
	}
	for _, password := range dsl.SecretsIn(v) {
		if strings.Contains(password, "${") {
			continue
		}
		if with := holderOf(v, password); with != nil {
			name := p.name(password)
			names = append(names, name)
			v = with("${" + name + "}")
		}
	}
	for i := range v.Fields {
		v.Fields[i].Value = replace(v.Fields[i].Value)
	}
	return v, names
}

// holderOf returns a function that puts a text in the place of a password in a step's argument; nil: the argument does
// not hold the password in this spelling.
func holderOf(v source.Value, password string) func(text string) source.Value {
	server, _ := v.Get("server")
	if before, after, found := strings.Cut(server.Value.Text, ":"+password+"@"); found {
		return func(text string) source.Value {
			return v.With("server", source.Value{Kind: source.String, Text: before + ":" + text + "@" + after})
		}
	}
	credentials, _ := v.Get("httpCredentials")
	if held, _ := credentials.Value.Get("password"); held.Value.Text != password {
		return nil
	}
	return func(text string) source.Value {
		return v.With("httpCredentials",
			credentials.Value.With("password", source.Value{Kind: source.String, Text: text}))
	}
}

// name returns the variable for a password; equal passwords share one.
func (p *Passwords) name(password string) string {
	for name, value := range p.exposed {
		if value == password {
			return name
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, value := range p.byName {
		if value == password {
			return name
		}
	}
	name := "PASSWORD"
	for i := 2; p.exposed[name] != "" || p.byName[name] != ""; i++ {
		name = "PASSWORD_" + strconv.Itoa(i)
	}
	p.byName[name] = password
	return name
}

// Value returns the value of a variable for a password that the client typed.
func (p *Passwords) Value(name string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := p.byName[name]
	return v, ok
}

// passwordFocused reports whether a password field has the focus.
func passwordFocused(ctx context.Context, s *action.Performer) bool {
	t := s.Tree
	if s.Platform == dsl.Web {
		var err error
		if t, err = s.Device.Tree(ctx); err != nil {
			return false
		}
	}
	if t == nil {
		return false
	}
	field := t.Focused()
	return field != nil && field.Password
}
