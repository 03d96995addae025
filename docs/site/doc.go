// Package site makes a static site of Markdown files: README.md in, which lists the pages, a folder of HTML out that
// needs no server.
package site
