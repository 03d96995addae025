// Package reading finds texts among what was read in an image: lines and a wanted text go in, the places that show it
// come out, with what a reader of pixels confuses forgiven. The code is in drivers/internal/reading; this is what
// other folders need of it.
package reading
