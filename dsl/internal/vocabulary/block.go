package vocabulary

import (
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/source"
)

// Block is what a run step runs: the vars and steps of a file, or of one of its named blocks.
type Block struct {
	File   string
	Name   string     // empty: the file's own steps
	Pos    source.Pos // of the name
	Vars   []expr.Var
	Steps  Steps
	Blocks Blocks // of its file
	Source *source.Source
}

// Blocks are the named blocks of a file.
type Blocks map[string]*Block

// Variables returns the block's own variables, and the file that they are in.
func (b *Block) Variables() (vars []expr.Var, from *source.Source) { return b.Vars, b.Source }
