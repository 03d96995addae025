package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/webtest"
)

// TestSamples compares the tree of generated pages with what the generator knows: each text that is seen is found in
// every match mode, as often as it is there, and none that is not seen.
func TestSamples(t *testing.T) {
	t.Parallel()
	d, wrong := browse(t, "blank.html"), 0
	for seed := range uint64(sampleCount(t)) {
		sample := webtest.MakeSample(seed)
		_, page, err := d.slot.Page()
		Must(t, err)
		Must(t, page.SetContent(sample.HTML))
		if high, err := page.Evaluate("document.documentElement.scrollHeight - innerHeight"); err != nil || high != 0 {
			t.Errorf("seed %d: the page is %v pixels too high: %v", seed, high, err)
		}
		tr := tree(t, d)
		for _, fault := range sampleFaults(t, tr, sample) {
			wrong++
			t.Errorf("seed %d: %s", seed, fault)
		}
		if wrong > 20 {
			t.Fatal("and so on")
		}
	}
}

func sampleFaults(t *testing.T, tr *screen.Tree, sample webtest.Sample) (faults []string) {
	shown := map[string]int{}
	plain := map[string]bool{}
	away := map[string]bool{}
	for _, text := range sample.Texts {
		plain[text.Text] = text.Plain
		away[text.Text] = text.Away || away[text.Text]
		if text.Shown {
			shown[text.Text]++
		} else {
			shown[text.Text] += 0
		}
	}
	for text, times := range shown {
		for i, s := range sampleSelectors(text) {
			if away[text] && i > 2 {
				continue
			}
			found, err := tr.Find(screen.Query{Selector: s})
			Must(t, err)
			if len(found) != times && (times > 0 != (len(found) > 0) || plain[text]) {
				fault := fmt.Sprintf("%s is there %d times, and %d are found: %v", screen.Describe(s), times, len(found), found)
				at := strings.Index(sample.HTML, text[:2])
				html := sample.HTML[max(0, at-200):min(len(sample.HTML), at+200)]
				faults = append(faults, fault+" in …"+html+"…")
				break
			}
		}
	}
	return faults
}

// sampleSelectors are the ways to look for a text, one for each match mode.
func sampleSelectors(text string) []dsl.Selector {
	words := strings.Fields(text)
	half, part := text, text
	if len(words) > 1 {
		half, part = text[:len(text)-1], text[2:]
	}
	return []dsl.Selector{
		{Label: text}, {Label: text, Match: dsl.MatchExact}, {Label: strings.ToUpper(text)},
		{Label: text, Match: dsl.MatchWords}, {Label: half, Match: dsl.MatchPrefix},
		{Label: part, Match: dsl.MatchContains}, {Label: regexp.QuoteMeta(text), Match: dsl.MatchRegex},
	}
}

func sampleCount(t *testing.T) int {
	if testing.Short() {
		return 10
	}
	return 300
}
