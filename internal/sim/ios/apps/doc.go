// Package apps has the apps of a simulated iPhone: login, list, and traps, which look different from what they do.
package apps
