// Package kernel is what a simulated phone has below Android: files, processes, the log, and the cable to adb.
package kernel
