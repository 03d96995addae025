package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// corpus returns the YAML files in testdata.
// corpus is every YAML file in the test data.
func corpus(f *testing.F) [][]byte {
	f.Helper()
	files, err := filepath.Glob("../../dsl/testdata/*/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	var all [][]byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range txtar.Parse(data).Files {
			if strings.HasSuffix(part.Name, ".yaml") {
				all = append(all, part.Data)
			}
		}
	}
	return all
}

// bones are what a value means, without places and layout.
// bones writes a value without its places.
func bones(v Value) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", v.Kind)
	if v.Kind != Null && v.Kind < List {
		fmt.Fprintf(&b, "%q", v.Text)
	}
	for _, item := range v.Items {
		b.WriteString(" -" + bones(item))
	}
	for _, f := range v.Fields {
		fmt.Fprintf(&b, " %q:%s", f.Key, bones(f.Value))
	}
	return b.String()
}
