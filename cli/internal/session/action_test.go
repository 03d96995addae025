package session

import (
	"reflect"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// stepOf returns the step's argument of the command line of an action, as its command does.
func stepOf(def dsl.Def, words []string) (source.Value, error) {
	w := newAction(def)
	cmd := &cobra.Command{Use: def.Name}
	w.add(cmd, true)
	w.flags(cmd)
	if err := cmd.ParseFlags(words); err != nil {
		return source.Value{}, err
	}
	return w.value(cmd, cmd.Flags().Args())
}

// placesOf returns the keys of the arguments without a flag on the command line of an action.
func placesOf(def dsl.Def) (keys []string) {
	w := newAction(def)
	for _, f := range w.main {
		keys = append(keys, f.Key)
	}
	return keys
}

// wordsOf writes the argument of a step as a command line: the main arguments without flags, the rest with flags.
func wordsOf(def dsl.Def, v source.Value) []string {
	var words, flags []string
	if v.Kind != source.Map {
		switch {
		case v.Kind == source.Null:
			return nil
		case v.Kind == source.List:
			for _, item := range v.Items {
				words = append(words, item.Text)
			}
			return words
		}
		return []string{v.Text}
	}
	for _, key := range placesOf(def) {
		if f, given := v.Get(key); given {
			if f.Value.Kind == source.Map {
				words = append(words, source.Flow(f.Value))
				continue
			}
			words = append(words, wordsOf(def, f.Value)...)
		}
	}
	own := map[string]dsl.Field{}
	for _, f := range def.Fields() {
		own[f.Key] = f
	}
	for _, f := range v.Fields {
		if slices.Contains(placesOf(def), f.Key) {
			continue
		}
		values := []source.Value{f.Value}
		if own[f.Key].List && f.Value.Kind == source.List {
			values = f.Value.Items
		}
		for _, value := range values {
			if def.Name == "set" && own[f.Key].Key == "" {
				words = append(words, f.Key+"="+value.Text)
				continue
			}
			if f.Key == "as" || f.Key == "timeout" { // of every action
				flags = append(flags, "--"+shell.Kebab(f.Key)+"="+value.Text)
				continue
			}
			text := value.Text
			if value.Kind == source.Map || value.Kind == source.List {
				text = source.Flow(value)
			}
			flags = append(flags, "--"+FlagOf(f.Key)+"="+text)
		}
	}
	return append(flags, append([]string{"--"}, words...)...)
}

// TestWords checks that every action is a command that means the same as the step of its example. One argument too
// many is rejected before a session is started.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, def := range dsl.Vocabulary() {
		if def.HoldsSteps() {
			continue
		}
		text, src, bad := source.Readable("example", []byte(def.Example))
		if bad != nil {
			t.Fatal(bad)
		}
		step, err := source.Read(text, src)
		if err != nil {
			t.Fatal(err)
		}
		want := step[0].Fields[0].Value
		words := wordsOf(def, want)
		got, err := stepOf(def, words)
		if err != nil {
			t.Errorf("%s %q: %v", def.Name, words, err)
			continue
		}
		a, _, errA := dsl.DecodeStep(&def, want)
		b, _, errB := dsl.DecodeStep(&def, got)
		if errA != nil || errB != nil || def.Name != "assertTrue" && !reflect.DeepEqual(a, b) || def.Name == "assertTrue" &&
			got.Fields[0].Value.Text != want.Text {
			t.Errorf("%s %q means %s, not %s: %v %v", def.Name, words, source.Flow(got), source.Flow(want), errA, errB)
		}
		if _, err := stepOf(def, append(slices.Clone(words), "a", "b", "c", "d")); err == nil && !takesMany(def) {
			t.Errorf("%s takes too many arguments", def.Name)
		}
	}
}

// takesMany reports whether an action's last argument takes several values.
func takesMany(def dsl.Def) bool {
	places := placesOf(def)
	for _, f := range def.Fields() {
		if f.List && len(places) > 0 && places[len(places)-1] == f.Key {
			return true
		}
	}
	return false
}

// TestWrittenKeepsAllOfTheText reads values of the command line: YAML takes # for a comment and --- for the end of a
// value.
func TestWrittenKeepsAllOfTheText(t *testing.T) {
	for text, want := range map[string]source.Value{
		"5":          {Kind: source.Int, Text: "5"},
		"#menu":      {Kind: source.String, Text: "#menu"},
		"Row #4":     {Kind: source.String, Text: "Row #4"},
		"Row # 4":    {Kind: source.String, Text: "Row # 4"},
		"":           {Kind: source.String},
		`"a" # note`: {Kind: source.String, Text: "a"},
	} {
		got, err := written("--value", text)
		if err != nil || got.Kind != want.Kind || got.Text != want.Text {
			t.Errorf("%q: %v %q, %v", text, got.Kind, got.Text, err)
		}
	}
	if v, err := written("--value", "a\n---\nb"); err == nil {
		t.Errorf("two documents are %+v", v)
	}
}
