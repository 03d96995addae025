// Package vision turns a screenshot into what it shows: the text that tesseract reads on it, and what a model
// sees.
package vision
