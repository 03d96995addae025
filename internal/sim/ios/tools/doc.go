// Package tools has the programs that reach simulated iPhones: simctl, devicectl, xcodebuild, go-ios, a WebKit proxy.
package tools
