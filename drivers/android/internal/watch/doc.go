// Package watch watches the app that was launched last: its log, its crashes, its use of the phone, and what covers it.
package watch
