// Package script runs JavaScript for tests: it takes a text and named values, and returns the spelling of the result.
// Scripts have no access to files, the environment and any clock but Date. They reach the network only through the
// client that they are given. Time and memory are limited.
package script
