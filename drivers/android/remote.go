package android

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/appium"
	"github.com/taproot-dev/taproot/drivers/internal/native"
	"github.com/taproot-dev/taproot/dsl"
)

// NewRemote makes a driver of a remote: phones at an Appium server of others. Nothing is requested yet. The records of
// its sessions are kept in folder.
func NewRemote(server dsl.RemoteServer, folder string) (drivers.Driver, error) {
	return native.NewDriver(server, folder, native.Kind{Platform: dsl.Android, System: "Android",
		Capabilities: remoteCapabilities(server),
		Open: func(_ context.Context, s *native.Session, info drivers.Info) (native.Phone, error) {
			return appium.Open(s, info, server.URL), nil
		}})
}

// remoteCapabilities are those of a session with which the driver neither resets an app nor waits for an idle screen,
// and reads all windows. An app of the remote is installed even if the phone has one of the same version.
func remoteCapabilities(server dsl.RemoteServer) map[string]any {
	all := map[string]any{
		"platformName":                                "Android",
		"appium:automationName":                       "UiAutomator2",
		"appium:noReset":                              true,
		"appium:autoLaunch":                           false,
		"appium:disableWindowAnimation":               true,
		"appium:settings[waitForIdleTimeout]":         0,
		"appium:settings[enableMultiWindows]":         true,
		"appium:settings[snapshotMaxDepth]":           appium.Depth,
		"appium:settings[enableNotificationListener]": true,
	}
	if server.App != "" {
		all["appium:enforceAppInstall"] = true
	}
	return all
}
