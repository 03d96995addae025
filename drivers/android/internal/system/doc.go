// Package system changes the settings of a phone, and what is stored on it.
package system
