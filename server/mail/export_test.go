package mail

import "time"

// Hurry makes the pauses between tries short.
func (s *Sender) Hurry() { s.pause = time.Millisecond }
