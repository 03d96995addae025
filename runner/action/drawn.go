package action

import "github.com/taproot-dev/taproot/drivers/screen"

// notePart says in the report when only a part of what was looked for can be seen.
func (s *Session) notePart(m screen.Match) {
	if m.Node.Bounds == m.Seen || m.Seen.Empty() {
		return
	}
	r := m.Seen
	s.note("only a part of %s can be seen: [%d,%d][%d,%d]", m.Node, r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
}
