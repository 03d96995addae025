// Package pages holds the session of a device: a browser context with its tabs, dialogs and health, and the calls into
// its pages.
package pages
