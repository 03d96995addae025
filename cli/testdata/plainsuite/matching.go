package plainsuite

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner"
	"github.com/taproot-dev/taproot/runner/matchers"
)

// Matching is what TestMatching asks, in its variable.
type Matching struct {
	App   string   // of a phone; "": pages
	Texts []string // the pages, or names of what the app shows in turn
	Pick  dsl.Selector
	Modes []dsl.MatchMode
}

// TestMatching prints what matchers and steps answer of texts: a line for each, with the text, the mode, the spelling
// and the answer.
func TestMatching(t *testing.T) {
	var ask Matching
	if err := json.Unmarshal([]byte(os.Getenv("MATCHING")), &ask); err != nil {
		t.Fatal(err)
	}
	on := runner.OnWeb()
	if ask.App != "" {
		on = runner.OnAndroid()
	}
	d := runner.DeviceT(t, on)
	if ask.App != "" {
		d.Launch(ask.App)
	}
	for i, name := range ask.Texts {
		switch {
		case ask.App == "":
			d.Open(name)
		case i > 0:
			d.Tap("Next")
			gomega.NewWithT(t).Eventually(d).WithTimeout(time.Minute).Should(matchers.Show(name))
		}
		for _, mode := range ask.Modes {
			say := func(spelling string, holds bool) { fmt.Printf("answer %d/%s/%s %t\n", i, mode, spelling, holds) }
			whole, shown := dsl.Selector{Label: "Paid", Match: mode}, ask.Pick
			shown.Text, shown.Match = "Paid", mode
			for spelling, m := range map[string]types.GomegaMatcher{"HaveElement": matchers.HaveElement(whole),
				"HaveElement with text": matchers.HaveElement(shown)} {
				holds, err := m.Match(d)
				if err != nil {
					t.Error(err)
				}
				say(spelling, holds)
			}
			if mode == "" {
				holds, err := matchers.Show("Paid").Match(d)
				if err != nil {
					t.Error(err)
				}
				say("Show", holds)
			}
			_, err := d.Try(dsl.Assert{Selector: whole}, runner.Within(time.Millisecond))
			say("Try", err == nil)
		}
	}
}
