package iossim

import (
	"context"

	"github.com/taproot-dev/taproot/internal/sim/ios/apps"
	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/host"
	"github.com/taproot-dev/taproot/internal/sim/ios/inspector"
	"github.com/taproot-dev/taproot/internal/sim/ios/tools"
)

// What describes a lab, and what its devices show.
type (
	// Options describe a lab; the zero value is a Mac with one booted simulator.
	Options = tools.Options
	// DeviceOptions describe a device; the zero value is a booted simulator of an iPhone 16 with iOS 18.1.
	DeviceOptions = device.Options
	// Scene makes the screen of com.example.scene.
	Scene = device.Scene
	// Moment is when a scene is looked at.
	Moment = device.Moment
	// Part is an element of a scene; its bounds are points.
	Part = device.Part
	// Entry is an editable text that outlives the parts that show it.
	Entry = device.Entry
	// SceneApp is the app that shows the scene; it may be used in the scene's handlers.
	SceneApp = device.SceneApp
	// WebView describes an app with a screen that is a WKWebView under a navigation bar.
	WebView = inspector.WebView
)

// The apps that devices have; com.example.traps after InstallTraps, com.example.scene after ShowScene.
const (
	LoginBundle = device.LoginBundle
	ListBundle  = device.ListBundle
	TrapsBundle = device.TrapsBundle
	SceneBundle = device.SceneBundle
)

// What goes wrong.
type (
	// Fault is something that goes wrong.
	Fault = host.Fault
	// Kind is what goes wrong.
	Kind = host.Kind
)

// The kinds of faults; package host describes them.
const (
	Hang    = host.Hang
	Slow    = host.Slow
	Refuse  = host.Refuse
	Garbage = host.Garbage
	Cut     = host.Cut
	Drop    = host.Drop
	Die     = host.Die
	Forget  = host.Forget
)

// LongText is longer than what a source contains of a value.
func LongText() string { return apps.LongText() }

// Build puts the programs xcrun, ios and ios_webkit_debug_proxy into a folder.
func Build(ctx context.Context, dir string) error { return host.Build(ctx, dir) }
