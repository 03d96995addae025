package client

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// Journal is the list of the session's steps.
type Journal struct {
	mu    sync.Mutex
	steps []Done
	own   func() *dsl.Own // own actions that steps may be; may be nil
}

// Done is one step that passed.
type Done struct {
	Device   string
	Platform dsl.Platform
	YAML     string // without "- "
	Uses     []string
	Vars     map[string]string `json:",omitempty"` // variables that it needs, with their values in YAML
}

// maxJournal limits the steps of a session.
const maxJournal = 5000

func (j *Journal) Add(d Done) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.steps) < maxJournal {
		j.steps = append(j.steps, d)
	}
}

// Steps returns the steps.
func (j *Journal) Steps() []Done {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.steps)
}

// YAML writes the session as tests with this ID, one for each device that was used, in the order of their first steps.
// An empty ID is replaced by one made of the time.
func (j *Journal) YAML(id string, now time.Time) (string, error) {
	steps := j.Steps()
	if id == "" {
		id = "session-" + now.UTC().Format("2006-01-02-15-04-05")
	}
	if len(steps) == 0 {
		return "", &Refusal{What: "nothing was done in this session yet",
			Try: "`tap`, `launch`, `openBrowser`, `assert` … are recorded when they succeed"}
	}
	var devices []string
	for _, s := range steps {
		if !slices.Contains(devices, s.Device) {
			devices = append(devices, s.Device)
		}
	}
	var tests []string
	for i, device := range devices {
		name := id
		if i > 0 {
			name += fmt.Sprintf("-%d", i+1)
		}
		tests = append(tests,
			test(name, slices.DeleteFunc(slices.Clone(steps), func(s Done) bool { return s.Device != device })))
	}
	text := strings.Join(tests, "---\n")
	var own *dsl.Own
	if j.own != nil {
		own = j.own()
	}
	if _, err := dsl.Parse("session.yaml", []byte(text), own); err != nil {
		return "", fmt.Errorf("the session cannot be written as a test: %w", err)
	}
	return text, nil
}

func test(id string, steps []Done) string {
	var b strings.Builder
	fmt.Fprintf(&b, "id: %s\nplatform: %s\n", id, steps[0].Platform)
	var names []string
	for _, s := range steps {
		names = append(names, s.Uses...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	now := firstValues(steps, names)
	if len(names)+len(now) > 0 {
		b.WriteString("vars:\n")
	}
	for _, name := range names {
		fmt.Fprintf(&b, "  %s: ${%s}\n", name, name)
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&b, "  %s: %s\n", name, now[name])
	}
	if len(names) > 0 {
		fmt.Fprintf(&b, "secrets: [%s]\n", strings.Join(names, ", "))
	}
	b.WriteString("steps:\n")
	for _, s := range steps {
		for _, name := range slices.Sorted(maps.Keys(s.Vars)) { // of another test, or another run of the same
			if value := s.Vars[name]; value != now[name] && !slices.Contains(names, name) {
				now[name] = value
				one := fmt.Sprintf("{%s: %s}", name, value)
				if set, _ := dsl.Lookup("set"); set.Takes(name) {
					one = "{vars: " + one + "}"
				}
				fmt.Fprintf(&b, "  - set: %s\n", one)
			}
		}
		fmt.Fprintf(&b, "  - %s\n", s.YAML)
	}
	return b.String()
}

// firstValues returns the variables that steps need, except some, with the values of the first step that needs them.
func firstValues(steps []Done, but []string) map[string]string {
	values := map[string]string{}
	for _, s := range steps {
		for name, value := range s.Vars {
			if _, known := values[name]; !known && !slices.Contains(but, name) {
				values[name] = value
			}
		}
	}
	return values
}

// ElementKeys returns the arguments that name another element.
func ElementKeys() []string {
	return []string{"inside", "in", "into", "rightOf", "leftOf", "above", "below", "near", "visible", "gone", "notVisible",
		"enabled"}
}

// StepLine writes one step without its dash, in the shortest form.
func StepLine(def *dsl.Def, v source.Value) string {
	v = def.Rewritten(v)
	for _, key := range ElementKeys() {
		if f, given := v.Get(key); given && f.Value.Kind == source.Map && len(f.Value.Fields) == 1 &&
			f.Value.Fields[0].Key == "label" {
			v = v.With(key, f.Value.Fields[0].Value)
		}
	}
	text := source.Flow(shortest(def, v))
	if text == "" || text == "{}" {
		return def.Name + ":"
	}
	return def.Name + ": " + text
}

// shortest replaces a map with one key by a plain value when that means the same.
func shortest(def *dsl.Def, v source.Value) source.Value {
	if v.Kind != source.Map || len(v.Fields) > 1 {
		return v
	}
	if len(v.Fields) == 0 {
		return source.Value{}
	}
	long, err := dsl.Decode(def, v)
	if err != nil {
		return v
	}
	plain := v.Fields[0].Value
	tries := []source.Value{plain}
	if plain.Kind == source.List && len(plain.Items) == 1 {
		tries = []source.Value{plain.Items[0], plain}
	}
	for _, try := range tries {
		if short, err := dsl.Decode(def, try); err == nil && reflect.DeepEqual(long, short) {
			return try
		}
	}
	return v
}

// UsedNames returns the variables that texts of a value use.
func UsedNames(v source.Value, exposed map[string]string) []string {
	var names []string
	if v.Kind == source.String {
		for name := range exposed {
			if strings.Contains(v.Text, "${"+name+"}") || strings.Contains(v.Text, "${"+name+":-") {
				names = append(names, name)
			}
		}
	}
	for _, item := range v.Items {
		names = append(names, UsedNames(item, exposed)...)
	}
	for _, f := range v.Fields {
		names = append(names, UsedNames(f.Value, exposed)...)
	}
	return names
}
