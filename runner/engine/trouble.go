package engine

import (
	"regexp"
	"strings"

	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/runner/action"
)

// pageWrong are the troubles of a page that may be the reason of a failure: it threw, or its server broke down.
var pageWrong = regexp.MustCompile(`^(uncaught |5\d\d [A-Z]+ )`)

// namedTroubles is how many of them a failure names; the report has all.
const namedTroubles = 3

// nameTroubles says in a failure what went wrong in the page meanwhile, and that the page itself came with an error.
func (r *run) nameTroubles(ended reporters.Event) {
	p := ended.Problem
	if ended.Verdict != reporters.Fail || p == nil {
		return
	}
	var wrong []string
	if text := r.pageError(); text != "" {
		wrong = append(wrong, text)
	}
	if ended.Detail != nil {
		for _, t := range ended.Detail.Troubles {
			if pageWrong.MatchString(t) && len(wrong) < namedTroubles {
				wrong = append(wrong, t)
			}
		}
	}
	if len(wrong) > 0 {
		p.Message += "; meanwhile on the page: " + strings.Join(wrong, "; ")
	}
}

// pageError asks the device; what breaks there breaks in the picture as well, which tells of it.
func (r *run) pageError() (text string) {
	_ = action.Guard(func() error { text = r.session.PageError(); return nil })
	return text
}
