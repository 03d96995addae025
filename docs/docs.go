// Package docs holds Taproot's documents, so that the program can show them and make a site of them without a network.
package docs

import "embed"

// Files are the documents and what they show; README.md lists the pages in their order.
//
//go:embed *.md ci images
var Files embed.FS
