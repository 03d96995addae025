package phone

import (
	"context"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
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

// LockState is the state of a phone's display.
type LockState struct {
	Asleep string // Asleep, Dozing or Dreaming; "" when it is on, or not reported
	told   bool   // the window manager spoke of its keyguard
	Locked bool   // a keyguard covers everything
	Secure bool   // it requires a PIN, a pattern or a password
}

func (p *Phone) LockState(ctx context.Context) LockState {
	const line = "dumpsys power; dumpsys trust; dumpsys window policy"
	said := p.Link.QueryOptional(ctx, adb.Command{Name: "dumpsys power, trust, window policy", Line: line})
	s := parseLockState(said)
	if !s.told && said != "" {
		s = parseLockState(said + p.Link.QueryOptional(ctx, adb.Command{Name: "dumpsys window", Line: "dumpsys window"}))
	}
	return s
}

func parseLockState(said string) LockState {
	var s LockState
	for _, m := range guardWord.FindAllStringSubmatch(said, -1) {
		s.told, s.Locked = true, s.Locked || m[1] == "true"
	}
	trust := deviceLocked.MatchString(said)
	s.Locked = (s.Locked || !s.told && trust) && !guardOccluded.MatchString(said)
	s.Secure = trust || guardSecure.MatchString(said)
	if m := wakefulness.FindStringSubmatch(said); m != nil && m[1] != "Awake" {
		s.Asleep = m[1]
	}
	return s
}

// DisplayOn is the error about a display that is off, which takes no touches: the agent may see its elements all
// the same.
func (p *Phone) DisplayOn(ctx context.Context) error {
	said := p.Link.QueryOptional(ctx, adb.Command{Name: "dumpsys power", Line: "dumpsys power | grep mWakefulness="})
	return p.Unusable(LockState{Asleep: parseLockState(said).Asleep})
}

// Unusable is the error about what prevents any use of the phone, nil when nothing does.
func (p *Phone) Unusable(s LockState) error {
	if what := s.Problem(); what != "" {
		return fmt.Errorf("device %s: %s", p.Link.Serial, what)
	}
	return nil
}

// Problem what is wrong with a display that cannot be used, and how to fix it.
func (s LockState) Problem() string {
	var what []string
	if s.Asleep != "" {
		what = append(what, fmt.Sprintf("its display is off (%s)", strings.ToLower(s.Asleep)))
	}
	switch {
	case s.Locked && s.Secure:
		what = append(what, "it is locked: its keyguard requires a PIN, a pattern or a password")
	case s.Locked:
		what = append(what, "it is locked: its keyguard covers everything")
	}
	if len(what) == 0 {
		return ""
	}
	return strings.Join(what, ", and ") + ": wake and unlock the phone by hand, or take its screen lock away for tests"
}
