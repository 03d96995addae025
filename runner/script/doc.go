// Package script runs JavaScript for tests: a text and named values go in, the value's spelling comes out. Scripts see
// no files, no environment and no clock but Date; they reach the network only through the client that they are given;
// time and memory are bounded.
package script
