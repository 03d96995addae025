// Package record records a person's actions on a page as a test. It handles what takes more than a tap: lists, files,
// dialogs and tabs.
package record
