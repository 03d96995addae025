// Package ios drives iPhones and simulators: requests to a drivers.Device go in, calls to WebDriverAgent and to Apple's
// or go-ios's programs come out.
package ios
