// Package farmapi is the part of the REST API for a farm: hosts join, and requests are forwarded to their devices.
package farmapi
