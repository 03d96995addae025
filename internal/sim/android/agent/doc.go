// Package agent is the UiAutomator2 server of a simulated phone, as Appium's behaves.
package agent
