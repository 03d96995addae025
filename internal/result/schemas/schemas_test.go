package schemas_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/result/schemas"
)

// TestSchemas compiles each schema, and checks that the page on stability lists it with its format.
func TestSchemas(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/stability.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range schemas.Names() {
		runtest.Schema(t, name)
		data, known := schemas.Of(name)
		var schema struct {
			Title, Description string
			Properties         map[string]struct{ Const string }
		}
		if err := json.Unmarshal(data, &schema); err != nil || !known {
			t.Errorf("%s: %v", name, err)
			continue
		}
		format := schema.Properties["format"].Const
		if schema.Title == "" || schema.Description == "" || !strings.HasPrefix(format, "taproot."+name+"/") {
			t.Errorf("%s: title %q, format %q", name, schema.Title, format)
		}
		if row := "`" + schema.Title + "` | `" + format + "` | `taproot schema " + name + "` |"; !strings.Contains(
			string(page), row) {
			t.Errorf("docs/stability.md lacks the row %s", row)
		}
	}
	if _, known := schemas.Of("nonsense"); known {
		t.Error("there is a schema of a name that is not one")
	}
}

// TestReadersIgnoreFurtherKeys checks that the published schemas allow keys of later versions.
func TestReadersIgnoreFurtherKeys(t *testing.T) {
	t.Parallel()
	loose, _ := schemas.Of("summary")
	strict, _ := schemas.Strict("summary")
	if strings.Contains(string(loose), `"additionalProperties":false`) ||
		!strings.Contains(string(strict), `"additionalProperties":false`) {
		t.Error("only the strict schema may refuse further keys")
	}
}
