// Package fix replaces the refused words of test files: bytes go in, and bytes come out in which only the steps with
// such words differ, and what could not be replaced, with its place.
package fix
