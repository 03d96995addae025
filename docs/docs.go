// Package docs holds Taproot's documents, so that the program can show them and make a site of them without a network.
package docs

// Package docs contains Taproot's documentation, so that the program can print it and write it as a site without a
// network.
import "embed"

// Files are the documents and the images in them; README.md lists the pages in their order.
//
//go:embed *.md ci images
var Files embed.FS
