// Package settings changes what apps notice of a device (orientation, appearance, location, status bar), and restores
// it.
package settings
