package action

import "github.com/taproot-dev/taproot/dsl"

// onPhone reports whether it is an app on a phone that is tested.
func (s *Session) onPhone() bool { return s.Platform == dsl.Android || s.Platform == dsl.IOS }
