package android

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	unlockLimit = 4 * time.Second // for a display to turn on, and for a keyguard to go away
	unlockPoll  = 150 * time.Millisecond
)

var (
	wakefulness = lazyregexp.New(`(?m)^\s*mWakefulness=(\w+)`)
	// guardWord are the window manager's words for a keyguard in the foreground, which change from Android to Android.
	guardWord = lazyregexp.New(
		`\b(?:showing|mIsShowing|m?[kK]eyguardShowing|isKeyguardShowing|` +
			`mShowingLockscreen|isStatusBarKeyguard|mDreamingLockscreen)=(true|false)\b`)
	guardOccluded = lazyregexp.New(`\b(?:occluded|mKeyguardOccluded)=true\b`)
	guardSecure   = lazyregexp.New(`\b(?:secure|mKeyguardSecure)=true\b`)
	// deviceLocked matches the trust manager's report of the foreground user: a work profile may have a lock of its own.
	deviceLocked = lazyregexp.New(`\(current\).*\bdeviceLocked=1\b`)
)

// lockState is the state of a phone's display.
type lockState struct {
	asleep string // Asleep, Dozing or Dreaming; "" when it is on, or not reported
	told   bool   // the window manager spoke of its keyguard
	locked bool   // a keyguard covers everything
	secure bool   // it requires a PIN, a pattern or a password
}

func (p *phone) lockState(ctx context.Context) lockState {
	const line = "dumpsys power; dumpsys trust; dumpsys window policy"
	said := p.link.queryOptional(ctx, command{name: "dumpsys power, trust, window policy", line: line})
	s := parseLockState(said)
	if !s.told && said != "" {
		s = parseLockState(said + p.link.queryOptional(ctx, command{name: "dumpsys window", line: "dumpsys window"}))
	}
	return s
}

func parseLockState(said string) lockState {
	var s lockState
	for _, m := range guardWord.FindAllStringSubmatch(said, -1) {
		s.told, s.locked = true, s.locked || m[1] == "true"
	}
	trust := deviceLocked.MatchString(said)
	s.locked = (s.locked || !s.told && trust) && !guardOccluded.MatchString(said)
	s.secure = trust || guardSecure.MatchString(said)
	if m := wakefulness.FindStringSubmatch(said); m != nil && m[1] != "Awake" {
		s.asleep = m[1]
	}
	return s
}

// displayOn is the error about a display that is off, which takes no touches: the agent may see its elements all
// the same.
func (p *phone) displayOn(ctx context.Context) error {
	said := p.link.queryOptional(ctx, command{name: "dumpsys power", line: "dumpsys power | grep mWakefulness="})
	return p.unusable(lockState{asleep: parseLockState(said).asleep})
}

// unusable is the error about what prevents any use of the phone, nil when nothing does.
func (p *phone) unusable(s lockState) error {
	if what := s.problem(); what != "" {
		return fmt.Errorf("device %s: %s", p.link.serial, what)
	}
	return nil
}

// problem what is wrong with a display that cannot be used, and how to fix it.
func (s lockState) problem() string {
	var what []string
	if s.asleep != "" {
		what = append(what, fmt.Sprintf("its display is off (%s)", strings.ToLower(s.asleep)))
	}
	switch {
	case s.locked && s.secure:
		what = append(what, "it is locked: its keyguard requires a PIN, a pattern or a password")
	case s.locked:
		what = append(what, "it is locked: its keyguard covers everything")
	}
	if len(what) == 0 {
		return ""
	}
	return strings.Join(what, ", and ") + ": wake and unlock the phone by hand, or take its screen lock away for tests"
}
