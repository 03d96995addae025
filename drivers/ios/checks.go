package ios

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// Check is what is known about one thing that tests on iOS need.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"`
}

// Checks looks at everything that reaches iOS devices: programs, devices and their WebDriverAgents. None of it is
// needed for the other platforms.
func (d *Driver) Checks(ctx context.Context) []Check {
	checks := []Check{checkSimctl(ctx, d.tools), checkGoIOS(ctx, d.tools)}
	infos, err := d.Devices(ctx)
	var missing *drivers.Unavailable
	switch {
	case errors.As(err, &missing):
		return append(checks, Check{Name: "devices", Text: missing.What, Advice: missing.Fix})
	case err != nil:
		return append(checks, Check{Name: "devices", Text: phrase.OneLine(err.Error())})
	case len(infos) == 0:
		return append(checks, Check{Name: "devices", Text: "none",
			Advice: "boot a simulator (taproot devices --boot \"iPhone 16\"), or connect an iPhone"})
	}
	for _, info := range infos {
		text := strings.TrimSpace(fmt.Sprintf("%s, iOS %s, %s", info.Model, info.OSVersion, info.State))
		checks = append(checks, Check{Name: info.ID, OK: info.State == drivers.Ready, Text: text, Advice: info.Problem})
	}
	return checks
}

func checkSimctl(ctx context.Context, t host.Tools) Check {
	c := Check{Name: "xcode", Text: "xcrun was not found: no simulators", Advice: "on a Mac, install Xcode"}
	if t.Xcrun == "" {
		return c
	}
	sims, err := t.ListSimulators(ctx)
	var missing *drivers.Unavailable
	if err = host.NoXcode(err, "simctl"); errors.As(err, &missing) {
		c.Text, c.Advice = missing.What, missing.Fix
		return c
	}
	if err != nil {
		c.Text, c.Advice = phrase.LimitBytes(phrase.OneLine(err.Error()), 300),
			"run `xcrun simctl list` and look at what it says"
		return c
	}
	return Check{Name: "xcode", OK: true, Text: fmt.Sprintf("%s, %d simulators", t.Xcrun, len(sims))}
}

func checkGoIOS(ctx context.Context, t host.Tools) Check {
	c := Check{Name: "go-ios", Text: "not found: no iPhones without Xcode, no logs of iPhones",
		Advice: "npm install -g go-ios"}
	if t.GoIOS == "" {
		return c
	}
	var answer struct{ Version string }
	out, err := t.Run(ctx, t.GoIOSCommand("version"))
	if err == nil {
		err = host.JSONIn(out, "version", &answer)
	}
	if err != nil || answer.Version == "" {
		c.Text = t.GoIOS + " is not go-ios, or does not start"
		return c
	}
	return Check{Name: "go-ios", OK: true, Text: t.GoIOS + " " + answer.Version}
}
