// Package dom reads the elements of web pages with a script that runs in them: what is seen, named, covered and pressed
// where. The browser driver runs it through Playwright, those of phones in the WebViews of apps.
package dom
