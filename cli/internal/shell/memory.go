package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/runner/client"
)

// memory is what a process leaves to the next one when it is killed, or replaced by another version: no device, but the
// steps that were done.
type memory struct {
	PID      int            `json:"pid"`
	Replaced bool           `json:"replaced,omitempty"` // it ended by itself, for the next one
	Sessions []savedSession `json:"sessions"`
	At       time.Time      `json:"at"`
}

// savedSession is one session in it.
type savedSession struct {
	SessionInfo
	Journal []client.Done `json:"journal"`
}

// key identifies a session.
type key struct{ project, name string }

// readMemory reads what the previous process left. A file that cannot be read is ignored.
func readMemory(dir string) memory {
	var m memory
	data, err := os.ReadFile(filepath.Join(dir, memoryName))
	if err != nil || json.Unmarshal(data, &m) != nil {
		return memory{}
	}
	return m
}

// write saves the memory; it need not survive a loss of power.
func (m memory) write(dir string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, memoryName)
	aside := fmt.Sprintf("%s.%d", name, os.Getpid())
	if err := os.WriteFile(aside, data, 0o600); err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	return os.Rename(aside, name)
}

// lost describes what of a session was lost with its process; "" when nothing was.
func (m memory) lost(k savedSession) string {
	if m.Replaced || len(k.Devices) == 0 && len(k.Journal) == 0 {
		return ""
	}
	var gone []string
	for _, d := range k.Devices {
		gone = append(gone, strings.TrimSpace(d.ID+" "+d.Page))
	}
	said := fmt.Sprintf("the session process %d was ended from outside", m.PID)
	if len(gone) > 0 {
		said += "; lost: " + strings.Join(gone, ", ")
	}
	if n := len(k.Journal); n > 0 {
		said += fmt.Sprintf("; kept: what was done, for taproot save (steps: %d)", n)
	}
	return said + "; open starts again"
}
