// Package testdevice is a leased device of a test in Go. It knows package testing alone: package runner adds the specs
// of Ginkgo, by a Framework of its own.
package testdevice
