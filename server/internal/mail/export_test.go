package mail

import "time"

// ShortenPauses makes the pauses between attempts short.
func (s *Sender) ShortenPauses() { s.pause = time.Millisecond }
