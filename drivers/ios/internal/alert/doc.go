// Package alert answers the alerts of one device, and opens links, for which iOS may ask.
package alert
