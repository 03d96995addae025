// Package iossim simulates iPhones and what reaches them: programs called xcrun and ios on the PATH, which behave like
// Apple's and like go-ios, and WebDriverAgents that answer over HTTP.
//
// A Lab holds devices; Build puts the programs into a folder, and Environ returns the variables with which they find
// the lab. What they print, and how a WebDriverAgent responds, follows what is published of the real ones; the sources
// are next to each. Fail arms faults.
//
// A device has a home screen and two apps. com.example.login loads for a while, takes ada@example.com with the password
// lovelace, and says "Wrong e-mail or password" to all others; crash@example.com makes it crash. com.example.list is a
// long list; its first rows open pages on which everything that a phone can do leaves a trace.
package iossim
