// Package drivertest is the contract suite of drivers: a driver with a device that shows the sample login goes in, a
// failed test for each broken promise of package drivers comes out.
package drivertest
