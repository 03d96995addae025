// Package urlpattern compiles patterns of URLs, as tests write them, to regular expressions: a whole URL or a path,
// with *, ** and {a,b}, or a regular expression between slashes.
package urlpattern
