// Package android drives Android phones, emulators and tablets through the adb server: requests to a drivers.Device go
// in, adb services of one connection each go out.
package android
