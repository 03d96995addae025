// Package device is a simulated iPhone or simulator: its apps, alerts, screen, keys and touches.
package device
