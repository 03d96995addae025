// Package journal keeps what happens on the pages of a device: its log, news for the client, errors of the console, HAR
// and troubles.
package journal
