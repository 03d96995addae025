package android

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
)

// unlock wakes the display and takes a lock without a secret away. The error says why the phone cannot be used as it
// is.
func (j *injector) unlock(ctx context.Context) error {
	s := j.phone.lockState(ctx)
	if s.asleep == "" && !s.locked {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, unlockLimit)
	defer cancel()
	for {
		if s.asleep != "" {
			if _, err := j.inputs(ctx, "wake", []string{"keyevent 224"}); err != nil {
				j.phone.log.Warn("the display is off and cannot be woken", "error", err)
			}
		}
		// Against a PIN it brings up the question, which is as good as the clock.
		j.phone.link.queryOptional(ctx, command{name: "dismiss the keyguard", line: "wm dismiss-keyguard"})
		s = j.phone.lockState(ctx)
		if s.asleep == "" && (!s.locked || s.secure) || drivers.Pause(wait, unlockPoll) != nil {
			break
		}
	}
	return j.phone.unusable(s)
}
