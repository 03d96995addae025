// Package toolchain finds the external programs that Taproot drives things with, checks their versions and installs the
// missing ones.
package toolchain
