package androidsim

import (
	"context"

	"github.com/taproot-dev/taproot/internal/sim/android/adbd"
	"github.com/taproot-dev/taproot/internal/sim/android/agent"
	"github.com/taproot-dev/taproot/internal/sim/android/apps"
	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/webview"
)

// What describes a phone.
type (
	// Options describe a phone; the zero value is a fast Pixel-like phone with API level 34.
	Options = spec.Options
	// Latency is what commands cost on top of the work itself; zero costs nothing.
	Latency = spec.Latency
	// DumpStyle is how uiautomator writes trees.
	DumpStyle = spec.DumpStyle
	// GuardStyle is how a phone keeps adb's shell from settings, permissions and apps' data.
	GuardStyle = spec.GuardStyle
	// Lock is a kind of keyguard.
	Lock = spec.Lock
	// SecureStyle is what screencap makes of a screen on which a window forbids screenshots.
	SecureStyle = spec.SecureStyle
	// State is what adb says of a device.
	State = kernel.State
)

// The values of these types.
const (
	GuardNone     = spec.GuardNone
	GuardRefuses  = spec.GuardRefuses
	GuardIsSilent = spec.GuardIsSilent

	Unlocked  = spec.Unlocked
	SwipeLock = spec.SwipeLock
	PINLock   = spec.PINLock

	SecureByAPI   = spec.SecureByAPI
	SecureBlack   = spec.SecureBlack
	SecureRefused = spec.SecureRefused
	SecureZeros   = spec.SecureZeros

	StateDevice       = kernel.StateDevice
	StateOffline      = kernel.StateOffline
	StateUnauthorized = kernel.StateUnauthorized
	StateRecovery     = kernel.StateRecovery
	StateAbsent       = kernel.StateAbsent
)

// RealLatency returns the costs measured on an emulator with Android 14.
func RealLatency() Latency { return spec.RealLatency() }

// What fails.
type (
	// Fault is a failure of the phone: of a service, or of a command.
	Fault = spec.Fault
	// FaultKind is the way in which a call fails.
	FaultKind = spec.FaultKind
	// AgentFault is a failure of the agent at a request.
	AgentFault = agent.Fault
	// AgentFaultKind is the way in which the agent fails.
	AgentFaultKind = agent.FaultKind
)

// The kinds of faults; package spec and package agent describe them.
const (
	Drop    = spec.Drop
	Hang    = spec.Hang
	Cut     = spec.Cut
	Garbage = spec.Garbage
	Slow    = spec.Slow
	Error   = spec.Error
	Refuse  = spec.Refuse

	AgentKill      = agent.Kill
	AgentWedge     = agent.Wedge
	AgentGarbage   = agent.Garbage
	AgentHalf      = agent.Half
	AgentSilent    = agent.Silent
	AgentClose     = agent.Close
	AgentOrphan    = agent.Orphan
	AgentRefuse    = agent.Refuse
	AgentBroken    = agent.Broken
	AgentStolen    = agent.Stolen
	AgentReinstall = agent.Reinstall
	AgentReboot    = agent.Reboot
)

// What apps show, and what happened to them.
type (
	// Scene makes the screen of an app that a test has written.
	Scene = apps.Scene
	// Moment is when and where a scene is looked at.
	Moment = apps.Moment
	// Shown is what a scene shows.
	Shown = apps.Shown
	// Part is an element of a scene; its bounds are pixels of the screen.
	Part = apps.Part
	// Entry is an editable text that outlives the parts that show it.
	Entry = apps.Entry
	// App is an app that shows a scene.
	App = apps.App
	// WebView describes an app with a screen that is a WebView under a toolbar.
	WebView = webview.WebView
	// Tap is one gesture and the element that took it.
	Tap = system.Tap
	// Extra is an argument that an activity was started with, and the option that passed it ("--ez").
	Extra = system.Extra
)

// The apps that a phone comes with, and the account that com.example.login knows.
const (
	LoginPackage  = spec.LoginPackage
	ListPackage   = spec.ListPackage
	LoginEmail    = apps.LoginEmail
	LoginPassword = apps.LoginPassword
	LoginCrash    = apps.LoginCrash
)

// NewEntry makes an entry with a text in it.
func NewEntry(text string, password bool) *Entry { return apps.NewEntry(text, password) }

// The packages of the agent that a test may install: appium-uiautomator2-server, as it behaves.
const (
	AgentPackage     = agent.Package
	AgentTestPackage = agent.TestPackage
)

// AgentAPKs are the names and contents of package files that a phone takes for the agent's, in the version that is
// named.
func AgentAPKs(version string, code int) map[string]string { return agent.APKs(version, code) }

// AgentAPK is a package file of one of the agent's packages, signed with a certificate.
func AgentAPK(name, version string, code int, certificate string) string {
	return agent.APK(name, version, code, certificate)
}

// Server is an adb server in this process: it speaks the host protocol for its phones, so that tests need no adb.
type Server = adbd.Server

// ADB is a real adb server of a test's own: its port is free, its home is a temporary directory, and no other adb
// server is touched.
type ADB = adbd.ADB

// ServeADB starts the adb server of the program at path on a free port, with its keys and logs in home, and returns
// when it responds.
func ServeADB(ctx context.Context, path, home string) (a *ADB, stop func(), err error) {
	return adbd.ServeADB(ctx, path, home)
}
