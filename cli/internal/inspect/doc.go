// Package inspect has the commands that show and prepare devices and this machine: devices, find, doctor, setup, adb,
// agent, ios.
package inspect
