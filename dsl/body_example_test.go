package dsl

import (
	"encoding/json"
	"testing"

	"github.com/taproot-dev/taproot/dsl/source"
)

// TestExampleBodies: what programs are shown as an example is an object that the operation takes.
func TestExampleBodies(t *testing.T) {
	for _, def := range Vocabulary() {
		if def.Interfaces&REST == 0 {
			continue
		}
		data, err := json.Marshal(def.ExampleBody())
		if err != nil {
			t.Fatal(err)
		}
		v, err := source.FromJSON(data)
		if err == nil {
			_, err = Decode(&def, v)
		}
		if err != nil || def.NeedsArgument() && len(v.Fields) == 0 {
			t.Errorf("%s: %s: %v", def.Name, data, err)
		}
	}
}
