package action

import "github.com/taproot-dev/taproot/drivers/screen"

// notePart says in the report when only a part of what was looked for can be seen.
func (r *Result) notePart(m screen.Match) {
	if m.Node.Bounds == m.Seen || m.Seen.Empty() {
		return
	}
	b := m.Seen
	r.note("only a part of %s can be seen: [%d,%d][%d,%d]", m.Node, b.Min.X, b.Min.Y, b.Max.X, b.Max.Y)
}
