// Package vision turns a picture of a screen into what it shows: the text that tesseract reads on it, and what a model
// sees.
package vision
