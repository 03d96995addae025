// Package ui has the elements, windows and frames of a simulated phone's screen, and turns them into trees and pixels.
package ui
