// Package apps has the apps of a simulated phone: launcher, login, list, and apps that show the scenes of tests.
package apps
