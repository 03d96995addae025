// Package adbd is how hosts reach a simulated phone: its end of adb, adb servers, and an emulator's console.
package adbd
