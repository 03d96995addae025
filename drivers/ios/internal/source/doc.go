// Package source reads the sources that WebDriverAgent returns: XML or JSON goes in, elements in points come out, with
// what covers them and what may be cut off.
package source
