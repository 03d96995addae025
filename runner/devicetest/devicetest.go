// Package devicetest leases devices for tests of package testing. It does not link Ginkgo; devices, waits and reports
// are those of package runner.
//
//	func TestLogin(t *testing.T) {
//		page := devicetest.New(t, devicetest.OnWeb())
//		page.Open("pages/login.html")
//		page.Tap("E-mail")
//		page.Input("ada@example.com")
//		page.Tap("Sign in", devicetest.Below("Login"), devicetest.Within(30*time.Second))
//		page.Assert("Welcome, Ada")
//	}
//
// All tests of one `go test` of a package write into one run directory, including those of runner.RunSuites. Its pages
// are made whenever no test of the process has a device any more. Only runner.RunSuites sends results to chats.
package devicetest

import (
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/testdevice"
)

// Device is a leased device. Its methods wait as YAML steps do, are steps in the report pack, and end the test when
// they fail.
type Device = testdevice.Device

// New waits for a free device, opens it for the test, and releases it when the test has ended. The test has a report
// pack; its steps end it by t.Fatal when they fail. Without a device the test is skipped, or fails when
// TAPROOT_REQUIRE_DEVICES is set.
func New(t testing.TB, options ...Option) *Device {
	t.Helper()
	return testdevice.Open(t, options...)
}

// Option selects the device of a test, and configures its report.
type Option = testdevice.Option

// OnAndroid selects an Android device, which is the default unless TAPROOT_PLATFORM is set.
func OnAndroid() Option { return testdevice.OnAndroid() }

// OnIOS selects an iOS device.
func OnIOS() Option { return testdevice.OnIOS() }

// OnWeb selects a browser page.
func OnWeb() Option { return testdevice.OnWeb() }

// Needing excludes devices that are not what the test needs, as the key device does in YAML.
func Needing(need dsl.Need) Option { return testdevice.Needing(need) }

// Hiding keeps values out of the report: texts are masked, screenshots blanked, and nothing is recorded.
func Hiding(values ...string) Option { return testdevice.Hiding(values...) }

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
