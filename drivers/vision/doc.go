// Package vision turns a screenshot into what it shows: the text that tesseract reads on it, and what a model sees.
// The code is in drivers/internal/vision; this is what other folders need of it.
package vision
