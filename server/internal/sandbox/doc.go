// Package sandbox limits what calls and tests of clients may use of this machine: files, addresses and the environment.
package sandbox
