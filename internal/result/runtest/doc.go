// Package runtest makes run directories of recorded events, for the tests of packages that read them.
package runtest
