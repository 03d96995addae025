package dsl

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl/internal/schema"
)

// TestBodySchemas: every operation has one, it refers to nothing that is not there, and its content is understood
// by Decode.
func TestBodySchemas(t *testing.T) {
	b := BodySchemas(REST, "#/components/schemas/")
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range strings.Split(string(text), `"$ref":"#/components/schemas/`) {
		if name, _, _ := strings.Cut(part, `"`); i > 0 && b.Shared[name] == nil {
			t.Errorf("nothing is called %q", name)
		}
	}
	for _, d := range Vocabulary() {
		body, there := b.Actions[d.Name]
		if there != (d.Interfaces&REST != 0) {
			t.Errorf("%s: schema %v, interfaces %b", d.Name, there, d.Interfaces)
		}
		if !there {
			continue
		}
		for key := range body["properties"].(schema.Schema) {
			if !d.OwnKey(key) && key != "timeoutMs" {
				t.Errorf("%s has no argument %q", d.Name, key)
			}
		}
	}
	if tap := b.Actions["tap"]["properties"].(schema.Schema); tap["below"].(schema.Schema)["$ref"] != "#/components/schemas/Anchor" ||
		tap["count"].(schema.Schema)["maximum"] != 10 {
		t.Errorf("%v", tap)
	}
}
