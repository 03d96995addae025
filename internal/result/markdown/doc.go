// Package markdown writes a case for people: a Result goes in, run.md comes out. Foreign text cannot become markup.
package markdown
