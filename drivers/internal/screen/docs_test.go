package screen_test

import (
	"os"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// TestWhatMatchesWhat holds the finder against the table of docs/finding-elements.md.
func TestWhatMatchesWhat(t *testing.T) {
	page, err := os.ReadFile("../../../docs/finding-elements.md")
	if err != nil {
		t.Fatal(err)
	}
	columns := []dsl.Selector{label("Pay"), {Label: "Pay", Match: dsl.MatchWords}, {Label: "Pay", Match: dsl.MatchPrefix},
		{Label: "Pay", Match: dsl.MatchContains}, {Label: "pay.*", Match: dsl.MatchRegex}}
	rows := 0
	_, table, _ := strings.Cut(string(page), "| screen |")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		shows := strings.ReplaceAll(strings.TrimSpace(cells[0]), "&nbsp;", "\u00a0")
		if len(cells) != len(columns)+1 || strings.HasPrefix(shows, "`") || strings.HasPrefix(shows, "-") {
			if rows > 0 {
				break
			}
			continue
		}
		rows++
		for i, sel := range columns {
			found, err := screenOf(el(shows, 0, 0, 500, 50)).Find(screen.Query{Selector: sel})
			if want := strings.TrimSpace(cells[i+1]) == "yes"; err != nil || (len(found) == 1) != want {
				t.Errorf("%s on %q: %v, %v; the page says %v", screen.Describe(sel), shows, found, err, want)
			}
		}
	}
	if rows != 6 {
		t.Errorf("the table has %d rows", rows)
	}
}
