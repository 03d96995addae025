// Package web drives pages of a real Chromium through Playwright: a page is a device whose elements, pixels and fields
// can be read and used.
package web
