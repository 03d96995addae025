// Package apps starts, ends and installs the apps of one device, and reports whether the one that was started last has
// crashed.
package apps
