// Package widgets holds tests only: they use widgets of libraries as people build pages with them, and hold results
// against what the widgets' own models say afterwards.
package widgets
