package phrase

import (
	"math"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 50 * time.Millisecond: "50ms", 400 * time.Millisecond: "400ms",
		1500 * time.Millisecond: "1.5s", time.Minute: "1m", 90 * time.Second: "1m30s", time.Hour: "1h",
		time.Hour + time.Minute: "1h1m", 10 * time.Minute: "10m", 30 * time.Second: "30s"} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
		if back, _, ok := ParseDuration(want); !ok || back != d {
			t.Errorf("%q is read as %v", want, back)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{"5000": 5 * time.Second, "0": 0, "1m30s": 90 * time.Second,
		"1m 30s": 90 * time.Second, " 2s ": 2 * time.Second, "0.1ms": time.Millisecond, "-5s": -5 * time.Second,
		"-1": -time.Millisecond, "99999999999999999999": math.MaxInt64, "-99999999999999999999": math.MinInt64,
		"99999999999h": math.MaxInt64, "9223372036854775807": math.MaxInt64} {
		if got, _, ok := ParseDuration(text); !ok || got != want {
			t.Errorf("%q: %v %v, want %v", text, got, ok, want)
		}
	}
	for text, near := range map[string]string{"5 sec": "5s", "5sec": "5s", "1 minute 30 seconds": "1m30s", "5S": "5s",
		"1,5 s": "1.5s", "2 Min.": "2m", "500 millis": "500ms", "soon": "", "": "", "1:30": "", "1.5": "", "5 days": "",
		"s": "", "5us": "", "1 0s": "10s", "5.s": "", ".5s": "", "1\n0s": ""} {
		if got, meant, ok := ParseDuration(text); ok || meant != near {
			t.Errorf("%q: %v, meant %q, want %q", text, got, meant, near)
		}
	}
}
