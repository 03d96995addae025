// Package markdown writes a case for people: a Result goes in, run.md comes out. Foreign text cannot break out of its
// place.
package markdown
