// Package console turns the events of many cases, as they happen, into the output on a terminal. The code is in
// reporters/internal/console; this is what other folders need of it.
package console
