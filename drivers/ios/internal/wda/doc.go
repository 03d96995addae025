// Package wda calls WebDriverAgent: requests go in, values or errors of the kinds of package drivers come out.
package wda
