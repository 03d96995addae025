// Package keyboard types text and presses keys of one device, and hides its keyboard.
package keyboard
