// Package view reads the screen of one device: a source of WebDriverAgent, its alerts, bars and pages become a
// screen.Tree.
package view
