// Package webview reads and touches the pages in the WebViews of apps, through Chrome DevTools.
package webview
