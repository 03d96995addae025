package vocabulary

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios"
	"github.com/taproot-dev/taproot/internal/sim/ios"
)

// iosBenches are simulators of a simulated Mac.
func iosBenches(t *testing.T) []bench {
	bin, home := t.TempDir(), t.TempDir()
	if err := iossim.Build(t.Context(), bin); err != nil {
		t.Fatal(err)
	}
	var o iossim.Options
	for range lanesOf {
		o.Devices = append(o.Devices, iossim.DeviceOptions{Scale: 1, LoginLoading: 1, LoginSpinner: 1})
	}
	lab, err := iossim.New(home, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	var addresses []string
	for i := range lanesOf {
		addresses = append(addresses, lab.Device(i).UDID()+"="+lab.Device(i).StartAgent())
	}
	environ := lab.Environ(bin, "TAPROOT_WDA_URL="+strings.Join(addresses, ","))
	driver := ios.New(ios.Options{Environ: environ, NotesDir: filepath.Join(home, "notes"),
		Getenv: func(name string) string {
			for _, entry := range environ {
				if value, ok := strings.CutPrefix(entry, name+"="); ok {
					return value
				}
			}
			return ""
		}})
	var lanes []bench
	for i := range lanesOf {
		lanes = append(lanes, iosBench(driver, lab, lab.Device(i), newSite(t)))
	}
	return lanes
}

// iosBench is one simulator. Effects ask it: front(), running(app), installed(), arguments(app), permission(app,
// service), place(), pictures(), appearance(), lies(), screen(), and noted(text), how often that is in what the lab
// noted about this device since ready. A fault is one of a program, or of WebDriverAgent, which then responds with
// "unknown error".
func iosBench(driver drivers.Driver, lab *iossim.Lab, phone *iossim.Device, site *site) bench {
	var before int
	return bench{driver: driver, id: phone.UDID(), site: site.url,
		ready: func(c cell) {
			before = len(phone.Noted())
			for _, f := range c.faults {
				lab.Fail(iossim.Fault{Match: f.Match, Device: phone.UDID(), Kind: iossim.Refuse, Word: "unknown error",
					Text: f.Output, Code: 1})
			}
		},
		done: func() { lab.HealDevice(phone.UDID()) },
		facts: func(context.Context, drivers.Device) map[string]any {
			notes := phone.Noted()[before:]
			return map[string]any{
				"front": phone.Front, "running": phone.Running, "installed": phone.Installed, "arguments": phone.Arguments,
				"permission": phone.Permission,
				"place":      phone.Place, "pictures": phone.Pictures, "appearance": phone.Appearance, "lies": phone.Landscape,
				"screen": func() string { return strings.Join(phone.Texts(), "|") },
				"noted": func(text string) int {
					n := 0
					for _, note := range notes {
						if strings.Contains(note, text) {
							n++
						}
					}
					return n
				},
			}
		}}
}
