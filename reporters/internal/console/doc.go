// Package console turns the events of many cases, as they happen, into the output on a terminal.
package console
