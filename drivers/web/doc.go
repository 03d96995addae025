// Package web drives pages of a real Chromium through Playwright: a page is a device with elements, pixels and fields
// that can be read and used.
package web
