// Package console turns the events of many cases, as they happen, into what a person at a terminal reads.
package console
