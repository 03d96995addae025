package allure

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// step is a step of a result, or a block of steps.
type step struct {
	Name        string       `json:"name"`
	Status      string       `json:"status"`
	Details     *details     `json:"statusDetails,omitempty"`
	Stage       string       `json:"stage"`
	Start       int64        `json:"start,omitempty"`
	Stop        int64        `json:"stop,omitempty"`
	Steps       []*step      `json:"steps"`
	Attachments []attachment `json:"attachments"`
	Parameters  []parameter  `json:"parameters"`

	path []string // the blocks that it is in, and its own name
}

// add adds a step, and makes the time and the status of a block those of its steps.
func (s *step) add(one *step) {
	s.Steps = append(s.Steps, one)
	if one.Start > 0 && (s.Start == 0 || one.Start < s.Start) {
		s.Start = one.Start
	}
	s.Stop = max(s.Stop, one.Stop)
	order := []string{skipped, passed, broken, failed}
	if slices.Index(order, one.Status) > slices.Index(order, s.Status) {
		s.Status = one.Status
	}
}

// attachments copies the files of a pack next to its result. The format wants a file of its own for each attachment.
type attachments struct {
	*writer
	pack   string
	prefix string
	n      int
}

// playwrightTrace is the type that makes Allure 3 open a trace in its viewer.
const playwrightTrace = "application/vnd.allure.playwright-trace"

// steps are the steps of a case in their blocks, with their attachments.
func (a *attachments) steps(res *event.CaseResult) ([]*step, error) {
	top := &step{}
	for i := range res.Steps {
		s := &res.Steps[i]
		one, err := a.step(s)
		if err != nil {
			return nil, err
		}
		var blocks []string
		if s.In != "" {
			blocks = strings.Split(s.In, " › ")
		}
		top.inside(blocks, one)
	}
	if top.Steps == nil {
		top.Steps = []*step{}
	}
	return top.Steps, nil
}

// inside adds a step to the innermost of its blocks; those that are not the last ones before it are new.
func (s *step) inside(blocks []string, one *step) {
	if len(blocks) == 0 {
		s.add(one)
		return
	}
	block := &step{Name: blocks[0], Stage: "finished", Status: skipped, path: blocks[:1], Attachments: []attachment{},
		Parameters: []parameter{}}
	if n := len(s.Steps); n > 0 && slices.Equal(s.Steps[n-1].path, block.path) {
		block = s.Steps[n-1]
		s.Steps = s.Steps[:n-1]
	}
	block.inside(blocks[1:], one)
	s.add(block)
}

func (a *attachments) step(s *event.StepResult) (*step, error) {
	name := strings.TrimSpace(s.Action + " " + s.Args)
	if s.Name != "" {
		name = s.Name + " (" + name + ")"
	}
	one := &step{Name: name, Status: status(s.Result), Stage: "finished", Start: millis(s.Started), Steps: []*step{},
		Attachments: []attachment{}, Parameters: []parameter{}}
	if one.Start > 0 {
		one.Stop = one.Start + max(0, s.Duration.Milliseconds())
	}
	if s.Result == event.Unreached {
		one.Details = &details{Message: "the test ended before this step"}
	}
	if p := s.Problem; p != nil {
		one.Details = &details{Message: p.Message, Expected: p.Expected, Actual: p.Actual}
	}
	for _, f := range s.Attachments {
		added, err := a.copy(f)
		if err != nil {
			return nil, err
		}
		one.Attachments = append(one.Attachments, added...)
	}
	return one, nil
}

// ofCase are the attachments that belong to no step: the recording, logs, traces.
func (a *attachments) ofCase(res *event.CaseResult) ([]attachment, error) {
	of := map[string]bool{}
	for i := range res.Steps {
		for _, f := range res.Steps[i].Attachments {
			of[f.Path] = true
		}
	}
	list := []attachment{}
	for _, f := range res.Attachments {
		if of[f.Path] {
			continue
		}
		added, err := a.copy(f)
		if err != nil {
			return nil, err
		}
		list = append(list, added...)
	}
	return list, nil
}

// copy copies a file of the pack. Snapshots of elements, which only the report page reads, and files that an
// interrupted case lost, are left out.
func (a *attachments) copy(f event.Attachment) ([]attachment, error) {
	if f.Kind == event.KindDOM || a.pack == "" {
		return nil, nil
	}
	a.n++
	out := attachment{Name: path.Base(f.Path), Type: f.Type, Source: fmt.Sprintf("%s-%d-attachment%s", a.prefix, a.n,
		path.Ext(f.Path))}
	if f.Path == event.ArtifactsDir+"/trace.zip" {
		out.Type = playwrightTrace
	}
	err := copyFile(a.root, path.Join(a.pack, f.Path), a.inFolder(out.Source))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("copy %s of %s: %w", f.Path, a.pack, err)
	}
	return []attachment{out}, nil
}

// copyFile copies a regular file below a root.
func copyFile(root *os.Root, name, to string) (err error) {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	in, err := root.Open(name)
	if err != nil {
		return err
	}
	defer in.Close() // nothing was written
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
