// Package webview reads the pages in the WebViews of apps through Web Inspector: the elements of an app go in, and get
// those of its pages.
package webview
