// Package host runs the programs of this machine that reach iOS devices: xcrun, go-ios and ios_webkit_debug_proxy list
// devices, and handle the apps and settings of one.
package host
