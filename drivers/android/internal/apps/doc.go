// Package apps installs, launches, stops and changes the apps of a phone.
package apps
