package dsl

import (
	"maps"
	"reflect"
	"slices"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/suggest"
)

// MaxFileSize is the size, in bytes, of the largest file that Parse takes.
const MaxFileSize = source.MaxBytes

// Config is a suite's taproot.yaml.
type Config struct {
	Include      []string
	Exclude      []string
	Order        []string
	Vars         []Var
	Tags         []string
	TimeoutMs    *int
	Retries      *int
	Secrets      []string // names of variables of the suite
	Before       Steps
	OnFailure    Steps
	After        Steps
	Environments map[string]Environment
	// PreferSelector is what of an element goes first into a step that is recorded: "text" or "id"; "" is text.
	PreferSelector string
}

// Environment is what a suite says of one of the places that its tests run against.
type Environment struct {
	Vars      []Var
	Tags      []string
	TimeoutMs *int
	Retries   *int
}

// suite is the top level of a taproot.yaml.
type suite struct {
	Include        []string               `json:"include,omitempty" minLength:"1" format:"glob"`
	Exclude        []string               `json:"exclude,omitempty" minLength:"1" format:"glob"`
	Order          []string               `json:"order,omitempty" minLength:"1"`
	Vars           vars                   `json:"vars,omitempty"`
	Tags           []string               `json:"tags,omitempty" format:"tag"`
	TimeoutMs      *int                   `json:"timeoutMs,omitempty" minimum:"0" maximum:"3600000"`
	Retries        *int                   `json:"retries,omitempty" minimum:"0" maximum:"10"`
	Secrets        []string               `json:"secrets,omitempty" minLength:"1"`
	Before         source.Value           `json:"before,omitempty"`
	OnFailure      source.Value           `json:"onFailure,omitempty"`
	After          source.Value           `json:"after,omitempty"`
	Environments   map[string]environment `json:"environments,omitempty"`
	PreferSelector string                 `json:"preferSelector,omitempty" enum:"text,id"`
}

// environment is one of a suite's environments.
type environment struct {
	Vars      vars     `json:"vars,omitempty"`
	Tags      []string `json:"tags,omitempty" format:"tag"`
	TimeoutMs *int     `json:"timeoutMs,omitempty" minimum:"0" maximum:"3600000"`
	Retries   *int     `json:"retries,omitempty" minimum:"0" maximum:"10"`
}

func (environment) rules() []rule {
	return []rule{atLeastOne("").says(`the environment "%s" says nothing`,
		`for example: %s: {vars: {URL: "https://staging.example.com"}}`)}
}

// ParseConfig reads a taproot.yaml; an empty one is fine.
func ParseConfig(file string, src []byte) (Config, error) {
	text, from, bad := source.Readable(file, src)
	if bad != nil {
		return Config{}, source.Errors{bad}
	}
	values, err := source.Read(text, from)
	if err != nil || len(values) == 0 {
		return Config{}, err
	}
	d := &decoding{source: from, variables: refused}
	if len(values) > 1 {
		d.fail(values[1].Pos, 0, "a second document", "taproot.yaml holds one")
	}
	var s suite
	v := values[0]
	d.structure(reflect.ValueOf(&s).Elem(), v, object{name: "taproot.yaml", at: v.Pos})
	c := Config{Include: s.Include, Exclude: s.Exclude, Order: s.Order, Vars: s.Vars, Tags: s.Tags, TimeoutMs: s.TimeoutMs,
		Retries: s.Retries, Secrets: s.Secrets, Environments: map[string]Environment{}, PreferSelector: s.PreferSelector}
	for name, e := range s.Environments {
		c.Environments[name] = Environment{Vars: e.Vars, Tags: e.Tags, TimeoutMs: e.TimeoutMs, Retries: e.Retries}
	}
	d.suiteSecrets(c, v)
	d.variables = deferred
	c.Before, c.OnFailure, c.After = d.stepsUnder(v, "before"), d.stepsUnder(v, "onFailure"), d.stepsUnder(v, "after")
	if err := d.errs.Err(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// suiteSecrets wants a secret of the suite to be one of its variables.
func (d *decoding) suiteSecrets(c Config, v source.Value) {
	var names []string
	for _, x := range c.Vars {
		names = append(names, x.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Environments)) {
		for _, x := range c.Environments[name].Vars {
			names = append(names, x.Name)
		}
	}
	f, given := v.Get("secrets")
	if !given {
		return
	}
	items := []source.Value{f.Value}
	if f.Value.Kind == source.List {
		items = f.Value.Items
	}
	d.secretNames(items, names,
		"write the name of a variable, not its value; variables are listed under vars, or under those of an environment")
}

// ConfigSchemaID names the schema of taproot.yaml.
const ConfigSchemaID = "https://taproot.dev/schema/taproot.json"

// ConfigSchema is the JSON Schema (2020-12) of a suite's taproot.yaml, made from the same structs.
func ConfigSchema() map[string]any {
	s := fileSchemas()
	out := s.object(reflect.TypeFor[suite]())
	s.defs["steps"], s.defs["step"], s.defs["point"] = s.steps(), s.step(), s.point()
	out["$schema"], out["$id"], out["title"] = "https://json-schema.org/draft/2020-12/schema", ConfigSchemaID,
		"Taproot suite"
	out["type"] = []string{"object", "null"}
	out["$defs"] = s.defs
	return out
}

// Suggest returns the candidate that a mistyped word most likely means, or "".
func Suggest(word string, candidates []string) string { return suggest.Nearest(word, candidates) }
