// Package screenpng writes pictures of screens as PNG files in a quarter of the time that image/png takes: it tries one
// filter where that tries five, and compresses parts of a picture beside each other. The files are about as large.
package screenpng
