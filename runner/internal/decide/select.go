package decide

import (
	"reflect"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// NeedsVision reports whether a selector requires what is seen in pixels.
func NeedsVision(sel dsl.Selector) bool {
	return sel.OCR != "" || sel.Image != "" || sel.Describe != ""
}

// visionSuffices reports whether a selector can be answered without a tree.
func visionSuffices(sel dsl.Selector) bool {
	return (NeedsVision(sel) || sel.Fallback != "") && len(sel.Relations()) == 0 && sel.Not == nil
}

// labelOnly reports whether a selector requires only a label, which pixels can show when nothing else does.
func labelOnly(sel dsl.Selector) bool {
	plain := dsl.Selector{Label: sel.Label, Index: sel.Index, First: sel.First}
	return sel.Label != "" && reflect.DeepEqual(sel, plain)
}

// namesOnly reports whether a selector picks an element by what it says, and by nothing around it, no order, no state
// and no pixels.
func namesOnly(sel dsl.Selector) bool {
	names := dsl.Selector{Label: sel.Label, Text: sel.Text, Desc: sel.Desc, Hint: sel.Hint, ID: sel.ID, Match: sel.Match}
	return names.Names() && screen.Describe(names) == screen.Describe(sel) && len(sel.Relations()) == 0 &&
		sel.Not == nil && sel.Fallback == "" && !NeedsVision(sel) && !asksState(sel)
}
