package history

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// environmentFile holds the environment of a run.
const environmentFile = "environment.json"

// Environment is where a run ran. Unknown values are empty.
type Environment struct {
	Taproot string   `json:"taproot,omitempty"` // version
	Options []string `json:"options,omitempty"` // of the command line; secrets are left out
	OS      string   `json:"os,omitempty"`      // of the machine: linux/amd64
	Commit  string   `json:"commit,omitempty"`  // of the tested project, in hex
	Branch  string   `json:"branch,omitempty"`
	Dirty   bool     `json:"dirty,omitempty"` // files differ from the commit
	CI      string   `json:"ci,omitempty"`    // name of the CI system
	Job     string   `json:"job,omitempty"`   // URL of the job
}

// Facts returns the known values, in a fixed order, as pairs of a name and a value.
func (e *Environment) Facts() [][2]string {
	if e == nil {
		return nil
	}
	commit := e.Commit
	if e.Dirty {
		commit += " (changed)"
	}
	var list [][2]string
	for _, f := range [][2]string{{"commit", commit}, {"branch", e.Branch}, {"ci", e.CI}, {"job", e.Job}, {"os", e.OS},
		{"taproot", e.Taproot}, {"options", strings.Join(e.Options, " ")}} {
		if f[1] != "" {
			list = append(list, f)
		}
	}
	return list
}

// WriteEnvironment writes the environment to the run directory. Call it once.
func WriteEnvironment(d *pack.RunDir, e Environment) error {
	data, err := pack.MarshalIndent(EnvironmentFile{Format: format.Environment, Environment: e})
	if err == nil {
		err = filetree.WriteFile(d.Path(), environmentFile, data)
	}
	if err != nil {
		return fmt.Errorf("keep the environment: %w", err)
	}
	return nil
}

// ReadEnvironment returns the environment of a run, nil when it was not kept.
func ReadEnvironment(runDir string) (e *Environment, err error) {
	root, err := os.OpenRoot(runDir)
	if err != nil {
		return nil, err
	}
	e, err = readEnvironment(root)
	return e, errors.Join(err, root.Close())
}

func readEnvironment(root *os.Root) (*Environment, error) {
	var file EnvironmentFile
	if there, err := readJSON(root, environmentFile, maxChoice, &file); !there || err != nil {
		return nil, err
	}
	return &file.Environment, format.Check(environmentFile, file.Format, format.Environment)
}

// EnvironmentFile is environment.json.
type EnvironmentFile struct {
	Format string `json:"format"`
	Environment
}
