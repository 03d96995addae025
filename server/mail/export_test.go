package mail

import "time"

// Hurry makes the pauses between attempts short.
func (s *Sender) Hurry() { s.pause = time.Millisecond }
