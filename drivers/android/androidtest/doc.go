// Package androidtest is a simulated Android phone that adb can connect to: it draws its screens, answers shell commands
// with the output and the failures of real phones, and can be told to fail.
package androidtest
