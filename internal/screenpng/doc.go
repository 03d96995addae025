// Package screenpng writes screenshots as PNG files in a quarter of the time of image/png: it uses one filter instead
// of trying five, and compresses parts of an image in parallel. The files have about the same size.
package screenpng
