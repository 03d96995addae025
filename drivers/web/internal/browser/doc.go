// Package browser starts the browsers that pages are opened in, and reports in plain words what Playwright reports of
// them.
package browser
