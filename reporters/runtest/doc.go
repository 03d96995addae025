// Package runtest lays run directories of recorded events, for the tests of what reads them.
package runtest
