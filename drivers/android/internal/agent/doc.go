// Package agent reads and touches the screen through appium-uiautomator2-server, which runs on the phone.
package agent
