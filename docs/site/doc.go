// Package site writes Markdown files as a static site. README.md lists the pages, and the result is a folder of HTML
// that needs no server.
package site
