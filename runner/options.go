package runner

import (
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/testdevice"
)

// Sight is what one read of the screen shows for a selector.
type Sight = failure.Sight

// Result is the result of a test.
type Result = event.Result

// The results. Error means that the device is to blame, not the app.
const (
	Pass        = event.Pass
	Fail        = event.Fail
	Error       = event.Error
	Skipped     = event.Skipped
	Interrupted = event.Interrupted
)

// DeviceOption selects the device of a test, and configures its report.
type DeviceOption = testdevice.Option

// OnAndroid selects an Android device, which is the default unless TAPROOT_PLATFORM is set.
func OnAndroid() DeviceOption { return testdevice.OnAndroid() }

// OnIOS selects an iOS device.
func OnIOS() DeviceOption { return testdevice.OnIOS() }

// OnWeb selects a browser page.
func OnWeb() DeviceOption { return testdevice.OnWeb() }

// Needing excludes devices that are not what the test needs, as the key device does in YAML.
func Needing(need dsl.Need) DeviceOption { return testdevice.Needing(need) }

// Hiding keeps values out of the report: texts are masked, screenshots blanked, and nothing is recorded.
func Hiding(values ...string) DeviceOption { return testdevice.Hiding(values...) }

// StepOption is an option of one step: a limit, a name, or what the element is next to.
type StepOption = testdevice.StepOption

// Within waits at most that long, instead of ten seconds.
func Within(limit time.Duration) StepOption { return testdevice.Within(limit) }

// Named sets the step's name in reports.
func Named(name string) StepOption { return testdevice.Named(name) }

// Below picks the element below the one with the label.
func Below(label string) StepOption { return testdevice.Below(label) }

// Above picks the element above the one with the label.
func Above(label string) StepOption { return testdevice.Above(label) }

// LeftOf picks the element to the left of the one with the label.
func LeftOf(label string) StepOption { return testdevice.LeftOf(label) }

// RightOf picks the element to the right of the one with the label.
func RightOf(label string) StepOption { return testdevice.RightOf(label) }

// Near picks the element that is closest to the one with the label.
func Near(label string) StepOption { return testdevice.Near(label) }

// Inside picks the element inside of the one with the label.
func Inside(label string) StepOption { return testdevice.Inside(label) }

// First picks the first of several elements that match, from the top.
func First() StepOption { return testdevice.First() }
