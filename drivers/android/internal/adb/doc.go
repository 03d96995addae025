// Package adb speaks with the adb server: it finds phones, runs commands and copies files, and says what became of a
// connection.
package adb
