package action

import (
	"context"
	"errors"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// quickTreeMayMatch reports whether what is waited for may have come, so that the screen is worth a whole read. Where
// the device has a cheaper quick tree, that decides between a read that has found nothing and the last one, which is
// always whole.
func (w *screenReader) quickTreeMayMatch(ctx context.Context, sel dsl.Selector, what searchPurpose) (bool, error) {
	d, ok := w.s.Device.(drivers.QuickTreeReader)
	if !ok || w.tree == nil || w.pixelsOnly || w.late() || !w.mayBeQuick || !namesOnly(sel) {
		return true, nil
	}
	if err := w.s.stillRuns(ctx); err != nil {
		return true, err
	}
	quick, err := d.QuickTree(ctx)
	if err != nil || quick == nil { // a whole look says why
		return true, errLost(err)
	}
	w.s.Detail.ScreenReads++
	found, err := quick.Candidates(screen.Query{Selector: sel, Action: what == toAct})
	if err != nil || len(found) > 0 {
		w.mayBeQuick = false
		return true, nil
	}
	return false, nil
}

// errLost keeps the error of a device that is lost, alone.
func errLost(err error) error {
	if errors.Is(err, drivers.ErrDeviceLost) {
		return err
	}
	return nil
}

// missed allows quick trees after a whole look that has found nothing; one that a quick tree promised and that found
// nothing ends them: what is looked for is there, and hidden.
func (w *screenReader) missed() {
	if !w.wasQuick {
		w.wasQuick, w.mayBeQuick = true, true
	}
}

// namesOnly reports whether a selector picks an element by what it says, and by nothing around it, no order, no state
// and no pixels.
func namesOnly(sel dsl.Selector) bool {
	names := dsl.Selector{Label: sel.Label, Text: sel.Text, Desc: sel.Desc, Hint: sel.Hint, ID: sel.ID, Match: sel.Match}
	return names.Names() && screen.Describe(names) == screen.Describe(sel) && len(sel.Relations()) == 0 &&
		sel.Not == nil && sel.Fallback == "" && !needsVision(sel) && !asksState(sel)
}
