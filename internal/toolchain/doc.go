// Package toolchain finds the external programs that Taproot uses, checks their versions and installs missing ones.
package toolchain
