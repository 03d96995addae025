// Package allure writes a run as a folder of Allure results, which Allure 2 and 3 make reports of.
package allure

import (
	"cmp"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// Folder is the name that Allure's own tools expect.
const Folder = "allure-results"

// The statuses of the format.
const (
	passed  = "passed"
	failed  = "failed"
	broken  = "broken" // the device, the browser or the report is to blame, or the run was interrupted
	skipped = "skipped"
)

// The format of files with names that end in -result.json.
type result struct {
	UUID        string       `json:"uuid"`
	HistoryID   string       `json:"historyId"`
	TestCaseID  string       `json:"testCaseId"`
	FullName    string       `json:"fullName"`
	Name        string       `json:"name"`
	TitlePath   []string     `json:"titlePath,omitempty"`
	Description string       `json:"description,omitempty"`
	Status      string       `json:"status"`
	Details     *details     `json:"statusDetails,omitempty"`
	Stage       string       `json:"stage"`
	Start       int64        `json:"start"`
	Stop        int64        `json:"stop"`
	Labels      []label      `json:"labels"`
	Links       []link       `json:"links,omitempty"`
	Parameters  []parameter  `json:"parameters"`
	Steps       []*step      `json:"steps"`
	Attachments []attachment `json:"attachments"`
}

type details struct {
	Message  string `json:"message,omitempty"`
	Trace    string `json:"trace,omitempty"`
	Expected string `json:"expected,omitempty"`
	Actual   string `json:"actual,omitempty"`
	Known    bool   `json:"known,omitempty"`
	Flaky    bool   `json:"flaky,omitempty"`
}

type label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type link struct {
	Name string `json:"name"`
	URL  string `json:"url"`
	Type string `json:"type"`
}

// parameter is a value that distinguishes the cases of a test. One that is excluded is only shown: results with the
// same others are attempts of one case.
type parameter struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Excluded bool   `json:"excluded,omitempty"`
}

type attachment struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Source string `json:"source"` // a file of the folder, which no other attachment names
}

// Write writes the results of a run into a folder, which it creates. Other files of the folder stay, so that it can
// hold the results of several runs; those of the same run are replaced. It returns the number of results.
func Write(r *history.Run, dir string) (n int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return 0, fmt.Errorf("read run %s: %w", r.Name, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	w := writer{run: r, root: root, dir: dir}
	for i := range r.Cases {
		c := &r.Cases[i]
		for _, t := range append(slices.Clone(c.Attempts), history.Attempt{Pack: c.Pack, CaseResult: c.CaseResult}) {
			if err := w.result(c, t); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, w.environment()
}

// writer writes the results of one run.
type writer struct {
	run  *history.Run
	root *os.Root // of the run
	dir  string   // of the results
}

// result writes one attempt of a case.
func (w *writer) result(c *history.RunCase, t history.Attempt) error {
	res := t.CaseResult
	own := res.Case
	key := cmp.Or(t.Pack, c.Key)
	fullName := own.ID
	if own.Place.File != "" {
		fullName = own.Place.File + "#" + own.ID
	}
	name := cmp.Or(own.Name, own.ID) + strings.TrimPrefix(c.Title(), own.ID)
	out := result{UUID: uuid(w.run.Name, key), FullName: fullName, Name: name,
		TestCaseID: sum(fullName), Description: own.Description, Status: status(res.Result), Details: detailsOf(c, res),
		Stage: "finished", Labels: labels(own, res.Result, w.run.Env), Links: links(own), Parameters: parameters(c, own),
		TitlePath: titlePath(own.Place.File)}
	out.HistoryID = out.TestCaseID + "." + sum(fmt.Sprint(distinct(out.Parameters)))
	out.Start = cmp.Or(millis(res.Started), millis(w.run.Started)) // the case may never have started
	out.Stop = out.Start + max(0, res.Duration.Milliseconds())
	a := attachments{writer: w, pack: t.Pack, prefix: out.UUID}
	var err error
	if out.Steps, err = a.steps(res); err != nil {
		return err
	}
	if out.Attachments, err = a.ofCase(res); err != nil {
		return err
	}
	data, err := pack.MarshalIndent(out)
	if err != nil {
		return err
	}
	return filetree.WriteFile(w.dir, out.UUID+"-result.json", data)
}

// status maps results of cases and of steps.
func status(v event.Result) string {
	switch v {
	case event.Pass:
		return passed
	case event.Fail, event.Warned:
		return failed
	case event.Skipped, event.Expected, event.Unreached:
		return skipped
	}
	return broken
}

// detailsOf says why a case did not pass; of a known failure, that it is known.
func detailsOf(c *history.RunCase, res *event.CaseResult) *details {
	d := &details{Known: res.Result == event.Expected, Flaky: c.Flaky() != ""}
	list := res.Failures()
	if res.Result == event.Skipped {
		list = nil
		if res.Problem != nil {
			d.Message = res.Problem.Message
		}
	}
	for i, f := range list {
		if i == 0 {
			d.Message, d.Expected, d.Actual = f.Problem.Message, f.Problem.Expected, f.Problem.Actual
		}
		d.Trace += trace(f)
	}
	if *d == (details{}) {
		return nil
	}
	return d
}

// trace is the place of a failure with all that is known of it.
func trace(f event.Failure) string {
	var b strings.Builder
	b.WriteString(f.Located() + "\n")
	if s := f.Step; s != nil {
		fmt.Fprintf(&b, "  step %d: %s %s\n", s.N, s.Action, s.Args)
		for _, in := range s.Around {
			fmt.Fprintf(&b, "  %s %s: %s\n", in.Offset(s), in.Kind, in.Text)
		}
	}
	for _, near := range f.Problem.Candidates {
		b.WriteString("  nearest: " + near + "\n")
	}
	if f.Problem.Stack != "" {
		b.WriteString(f.Problem.Stack + "\n")
	}
	return b.String()
}

// labels group the tests: by their folders and files, by tags, and by the properties of the test, such as severity,
// epic or feature. The label taproot.result has the exact result.
func labels(c event.Case, v event.Result, env *history.Environment) []label {
	list := []label{{"framework", "taproot"}, {"language", "yaml"}, {"taproot.result", string(v)}}
	if c.Fails != nil {
		list = append(list, label{"taproot.fails", c.Fails.String()})
	}
	add := func(name, value string) {
		if value != "" {
			list = append(list, label{name, value})
		}
	}
	file := strings.ReplaceAll(c.Place.File, `\`, "/")
	if dir := path.Dir(file); dir != "." {
		add("parentSuite", dir)
		add("package", strings.ReplaceAll(strings.Trim(dir, "/."), "/", "."))
	}
	if file != "" {
		add("suite", path.Base(file))
	}
	add("owner", c.Owner)
	add("thread", cmp.Or(c.Device, c.Model))
	if env != nil {
		add("host", env.OS)
	}
	for _, tag := range c.Tags {
		add("tag", tag)
	}
	for _, p := range c.Properties {
		add(p.Name, p.Value)
	}
	return list
}

// links are those of the test, and its known failure if that is a URL.
func links(c event.Case) []link {
	var list []link
	for _, url := range c.Links {
		list = append(list, link{Name: url, URL: url, Type: "link"})
	}
	if f := c.Fails; f != nil && (strings.HasPrefix(f.Because, "https://") || strings.HasPrefix(f.Because, "http://")) {
		list = append(list, link{Name: f.Because, URL: f.Because, Type: "issue"})
	}
	return list
}

// parameters are the parts of a case's key, and what it ran on.
func parameters(c *history.RunCase, own event.Case) []parameter {
	list := []parameter{{Name: "platform", Value: string(own.Platform)}}
	for _, part := range strings.Split(c.Key, "--")[1:] {
		name, value := "browser", part
		for word, of := range map[string]string{"row-": "row", "rep-": "repetition"} {
			if n, is := strings.CutPrefix(part, word); is {
				name, value = of, n
			}
		}
		if value != string(own.Platform) {
			list = append(list, parameter{Name: name, Value: value})
		}
	}
	for _, p := range [][2]string{{"device", strings.TrimSpace(own.Model + " " + own.Device)}, {"os", own.OS}} {
		if p[1] != "" {
			list = append(list, parameter{Name: p[0], Value: p[1], Excluded: true})
		}
	}
	return list
}

// distinct returns the parameters that distinguish cases.
func distinct(list []parameter) []parameter {
	return slices.DeleteFunc(slices.Clone(list), func(p parameter) bool { return p.Excluded })
}

// titlePath is the file of a test with its folders.
func titlePath(file string) []string {
	file = strings.Trim(strings.ReplaceAll(file, `\`, "/"), "/")
	if file == "" {
		return nil
	}
	return strings.Split(file, "/")
}

// environment writes where the run ran, and the build that made it.
func (w *writer) environment() error {
	var b strings.Builder
	for _, f := range w.run.Env.Facts() {
		value := strings.NewReplacer("\\", `\\`, "\n", " ", "\r", " ").Replace(f[1])
		fmt.Fprintf(&b, "%s = %s\n", f[0], value)
	}
	if b.Len() == 0 {
		return nil
	}
	if err := filetree.WriteFile(w.dir, "environment.properties", []byte(b.String())); err != nil {
		return err
	}
	if w.run.Env.Job == "" {
		return nil
	}
	data, err := json.Marshal(map[string]string{"name": w.run.Env.CI, "type": strings.ToLower(w.run.Env.CI),
		"buildName": w.run.Name, "buildUrl": w.run.Env.Job})
	if err != nil {
		return err
	}
	return filetree.WriteFile(w.dir, "executor.json", data)
}

// sum is an id of the format, the same for the same text.
func sum(text string) string {
	h := md5.Sum([]byte(text))
	return hex.EncodeToString(h[:])
}

// uuid identifies an attempt of a case in a run: writing it again replaces it.
func uuid(run, name string) string {
	h := sha256.Sum256([]byte("taproot allure " + run + " " + name))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// millis are milliseconds since 1970; 0 for no time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// inFolder is the path of a file of the results.
func (w *writer) inFolder(name string) string { return filepath.Join(w.dir, name) }
