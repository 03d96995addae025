// Package wda is the WebDriverAgent of a simulated iPhone.
package wda
