// Package docs contains Taproot's documentation in Markdown, so that the program can print it without a network.
package docs
