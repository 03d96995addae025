package action_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// touchLog shows what the page of a sample records of touches.
const touchLog = `<p id=log style="position:fixed;bottom:0;right:0;margin:0;pointer-events:none">-</p>
<script>touched.push=function(entry){log.textContent=entry}</script>`

// partsOf are selectors of some words of a text, each of another mode.
func partsOf(r *rand.Rand, text string) []dsl.Selector {
	all := strings.Fields(text)
	from := r.IntN(len(all))
	some := strings.Join(all[from:from+1+r.IntN(len(all)-from)], " ")
	return []dsl.Selector{
		{Label: some, Match: dsl.MatchWords},
		{Label: strings.ToUpper(all[from]), Match: dsl.MatchContains},
	}
}

// TestPartsOfGeneratedPages holds parts of texts against pages of which is known what a person reads on them: a part is
// found where it is seen and nowhere else, and a touch of it meets one of its words, by the page's own record.
func TestPartsOfGeneratedPages(t *testing.T) {
	t.Parallel()
	s := browser(t)
	s.Timeout = 3 * time.Second
	var seeds []uint64
	for seed := uint64(0); len(seeds) < 24; seed++ {
		// there, neither sizes nor the page's record are exact
		if !strings.Contains(webtest.MakeSample(seed).HTML, "data-shadow=") {
			seeds = append(seeds, seed)
		}
	}
	for _, seed := range testutil.Few(12, seeds) {
		sample := webtest.MakeSample(seed)
		r := rand.New(rand.NewPCG(seed, 9))
		page := "data:text/html;charset=utf-8," + url.PathEscape(sample.HTML+touchLog)
		opts := drivers.PageOptions{Viewport: image.Pt(1280, 720)}
		if err := s.Device.(drivers.Browser).OpenPage(t.Context(), page, opts); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			for _, text := range sample.Texts {
				if repeated(sample, text.Text) {
					continue
				}
				for _, sel := range partsOf(r, text.Text) {
					found, _, err := action.Look(t.Context(), s, sel)
					if seen := len(found) > 0; err != nil || seen != text.Shown {
						t.Errorf("%s of %+v: found %v, %v", screen.Describe(sel), text, seen, err)
					}
				}
				if text.Shown && r.IntN(3) == 0 {
					touchPart(t, s, partsOf(r, text.Text)[r.IntN(2)], text)
				}
			}
		})
	}
}

// repeated reports whether a text is on the page more than once, or within another one.
func repeated(sample webtest.Sample, text string) bool {
	n := 0
	for _, other := range sample.Texts {
		if strings.Contains(other.Text, text) || strings.Contains(text, other.Text) {
			n++
		}
	}
	return n > 1
}

// touchPart taps a part of a text and compares with what the page says was met.
func touchPart(t *testing.T, s *action.Performer, sel dsl.Selector, text webtest.SampleText) {
	t.Helper()
	defer func(before time.Duration) { s.Timeout = before }(s.Timeout)
	s.Timeout = passes
	if result, err := do(t, s, dsl.Tap{Selector: sel}); result != event.Pass {
		t.Errorf("tap %s of %+v: %v", screen.Describe(sel), text, err)
		return
	}
	found, _, err := action.Look(t.Context(), s, dsl.Selector{ID: "log"})
	if err != nil || len(found) == 0 {
		t.Fatal("the page records nothing", err)
	}
	key, word, _ := strings.Cut(found[0].Node.Text, "|")
	ours := slices.Contains(strings.Fields(strings.ToLower(sel.Label)), strings.ToLower(word))
	if key != text.Key || !ours && word != "" || word == "" && text.Plain {
		t.Errorf("tap %s of %+v met %q at %v", screen.Describe(sel), text, found[0].Node.Text, s.Detail.Point)
	}
}
