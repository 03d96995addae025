// Package lint finds what a test may contain and yet hardly means: a test goes in, warnings with their places come out.
package lint
