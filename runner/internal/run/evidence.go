package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Evidence says what the reports of a run keep: on, off, or failed; empty: what taproot.yaml says, or on.
type Evidence struct{ Video, Trace, Screenshots string }

// The values of Evidence.
const (
	evidenceOn     = "on"
	evidenceOff    = "off"
	evidenceFailed = "failed"
)

// ParseEvidence checks a value of Evidence; empty is allowed.
func ParseEvidence(text string) (string, error) {
	text = strings.ToLower(text)
	if !slices.Contains([]string{"", evidenceOn, evidenceOff, evidenceFailed}, text) {
		return "", fmt.Errorf("%q: use on, off or failed", text)
	}
	return text, nil
}

// SetEvidence sets what the reports keep; an empty value changes nothing. A false value of NoVideo or NoTrace follows.
func (c *Config) SetEvidence(video, trace, screenshots string) error {
	for _, e := range []struct {
		name, value string
		to          *string
		no          *bool
	}{{"video", video, &c.Evidence.Video, &c.NoVideo}, {"trace", trace, &c.Evidence.Trace, &c.NoTrace},
		{"screenshots", screenshots, &c.Evidence.Screenshots, nil}} {
		value, err := ParseEvidence(e.value)
		if err != nil {
			return fmt.Errorf("%s %w", e.name, err)
		}
		if value == "" {
			continue
		}
		*e.to = value
		if e.no != nil {
			*e.no = value == evidenceOff
		}
	}
	return nil
}

// evidenceOf returns what the report of a case keeps.
func (c Config) evidenceOf(one plan.Case) Evidence {
	e := c.Evidence
	suite := one.Base.Evidence
	for _, x := range []struct {
		to    *string
		suite string
		no    bool
	}{{&e.Video, suite.Video, c.NoVideo}, {&e.Trace, suite.Trace, c.NoTrace}, {&e.Screenshots, suite.Screenshots, false}} {
		switch {
		case x.no:
			*x.to = evidenceOff
		case *x.to == "" && x.suite != "":
			*x.to = x.suite
		case *x.to == "":
			*x.to = evidenceOn
		}
	}
	return e
}

// evidenceByEnv reads TAPROOT_VIDEO, TAPROOT_TRACE and TAPROOT_SCREENSHOTS. TAPROOT_NO_VIDEO and TAPROOT_NO_TRACE are
// older spellings of off.
func (c *Config) evidenceByEnv(get func(string) string) error {
	noVideo, noTrace := c.NoVideo, c.NoTrace
	for _, name := range []string{"TAPROOT_VIDEO", "TAPROOT_TRACE", "TAPROOT_SCREENSHOTS"} {
		if _, err := ParseEvidence(get(name)); err != nil {
			return fmt.Errorf("%s=%w", name, err)
		}
	}
	err := c.SetEvidence(get("TAPROOT_VIDEO"), get("TAPROOT_TRACE"), get("TAPROOT_SCREENSHOTS"))
	c.NoVideo, c.NoTrace = c.NoVideo || noVideo, c.NoTrace || noTrace
	return err
}
