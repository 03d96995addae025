package html

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCostOfAnApp(t *testing.T) {
	show := func(text string) string {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "artifacts"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "artifacts", "metrics.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := Pack(&b, PackPage{CaseResult: recorded(t, "pass"), Dir: dir}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	page := show(
		`{"samples":[{"memory_kb":102400,"frames":10,"janky_frames":1},{"memory_kb":204800,"cpu_percent":12.4,"frames":200,` +
			`"janky_frames":5}]}`)
	for _, want := range []string{"200 MB at most, 150 MB on average", `"points":[100,200]`, "12 % of a core at most",
		"200 drawn, 5 of them late (2.5 %)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	if page := show(
		`{"summary":{},"models":[{"name":"m","calls":2,"replayed":1,"prompt_tokens":1600,"completion_tokens":60}]}`); !strings.Contains(page, "model m: 2 calls, 1 responses of earlier runs, 1600 + 60 tokens") {
		t.Error("the page does not say what a model cost")
	}
	for _, broken := range []string{"", "{}", "[1", `{"samples":[{}]}`} {
		if page := show(broken); strings.Contains(page, `"cost"`) {
			t.Errorf("%s gave a panel", broken)
		}
	}
	many := strings.Repeat(`{"memory_kb":1},`, 5000)
	if page := show(`{"samples":[` + strings.TrimSuffix(many, ",") + `]}`); strings.Count(page,
		"0.0009765625") > maxPoints {
		t.Error(fmt.Sprint("a curve of more points than ", maxPoints))
	}
}
