// Package dom reads the elements of web pages with a script that runs in them: which are visible, their names, what
// covers them, and where to press them. The browser driver runs it through Playwright, the drivers of phones in the
// WebViews of apps.
package dom
