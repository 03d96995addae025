package dsl

import (
	"strings"
	"testing"
)

// TestTestsBehindEmptyDocumentsAreRead has two separators with only a comment between them, which the YAML library
// takes for the end of the file.
func TestTestsBehindEmptyDocumentsAreRead(t *testing.T) {
	const src = `id: first
platform: web
steps: [{openBrowser: https://example.com}]
---
# id: left-out
---
id: second
platform: web
steps: [{openBrowser: https://example.com}]
---
---
id: third
platform: web
steps: [{openBrowser: https://example.com}]
`
	tests, err := Parse("tests.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, test := range tests {
		ids = append(ids, test.ID)
	}
	if got := strings.Join(ids, " "); got != "first second third" {
		t.Errorf("the tests are %q", got)
	}
}

// TestSecondDocumentsAreRefused reads files that hold one document: what is behind the empty documents is refused,
// not ignored.
func TestSecondDocumentsAreRefused(t *testing.T) {
	const gap = "---\n# a comment\n---\n"
	if _, err := ParseConfig("taproot.yaml", []byte("timeoutMs: 1000\n"+gap+"retries: 2\n")); err == nil ||
		!strings.Contains(err.Error(), "taproot.yaml:5:1: a second document") {
		t.Errorf("taproot.yaml: %v", err)
	}
	block := "steps:\n  - tap: Buy\n"
	if _, err := ParseBlock("block.yaml", []byte(block+gap+block), Web); err == nil ||
		!strings.Contains(err.Error(), "block.yaml:6:1: a second document") {
		t.Errorf("block: %v", err)
	}
	if HoldsBlocks("blocks.yaml", []byte("blocks: {a: {steps: [back]}}\n"+gap+"blocks: {}\n")) {
		t.Error("a file with two documents counts as one of blocks")
	}
	if b, err := ParseBlock("block.yaml", []byte("---\n# a comment\n---\n"+block), Web); err != nil || len(b.Steps) != 1 {
		t.Errorf("the block behind an empty document: %v", err)
	}
}
