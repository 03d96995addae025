// Package system is Android's system server on a simulated phone: its activities, touches, keys, apps and settings.
package system
