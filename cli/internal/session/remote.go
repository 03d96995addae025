package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// remote is a REST server that performs commands.
type remote struct {
	base   string
	key    string
	device string
}

// maxAnswer is the limit of the size of a response.
const maxAnswer = 64 << 20

// remoteOutcome is the server's response to an action, or its error.
type remoteOutcome struct {
	Passed     bool     `json:"passed"`
	Error      string   `json:"error"`
	Message    string   `json:"message"`
	Expected   string   `json:"expected"`
	Actual     string   `json:"actual"`
	Candidates []string `json:"candidates"`
	Value      any      `json:"value"`
	Detail     *struct {
		Matched string `json:"matched"`
	} `json:"detail"`
	Files []struct {
		Name string `json:"name"`
		Data []byte `json:"data"`
	} `json:"files"`
	DurationMS int64  `json:"duration_ms"`
	ID         string `json:"id"`
}

// askServer sends a command to a REST server.
func (f *Flags) askServer(ctx context.Context, env *process.Env, req shell.Request) (shell.Response, error) {
	u, err := url.Parse(f.server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return shell.Response{}, &plan.Usage{Msg: fmt.Sprintf("--server %q: write a URL such as http://rack:3210",
			f.server)}
	}
	if f.then != "" || f.session != "" || len(f.expose) > 0 {
		return shell.Response{},
			&plan.Usage{Msg: "--then, --session and --expose-env are only for sessions on this machine, not for a REST server"}
	}
	r := remote{base: strings.TrimRight(f.server, "/"), key: env.Getenv("TAPROOT_API_KEY"), device: f.Device}
	switch req.Op {
	case shell.OpWord:
		return r.word(ctx, req)
	case shell.OpSnapshot:
		return r.snapshot(ctx, *req.View)
	case shell.OpScreenshot:
		return r.screenshot(ctx, *req.Look)
	}
	return shell.Response{},
		&plan.Usage{Msg: "a REST server performs single actions; run several steps as a test (POST /runs)"}
}

// word performs one action.
func (r *remote) word(ctx context.Context, req shell.Request) (shell.Response, error) {
	def, known := dsl.Lookup(req.Word)
	if !known {
		return shell.Response{}, &plan.Usage{Msg: fmt.Sprintf("the REST API has no %s, which is an action of this project: "+
			"run it in a test (POST /runs)", shell.Kebab(req.Word))}
	}
	v, err := written("arguments", req.Args)
	if err != nil {
		return shell.Response{}, err
	}
	if _, given := v.Get("ref"); given {
		return shell.Response{},
			&plan.Usage{Msg: "references are of sessions on this machine; with --server name the element by its label or " +
				"--selector"}
	}
	if def.Interfaces&dsl.REST == 0 {
		return shell.Response{}, &plan.Usage{Msg: fmt.Sprintf("the REST API has no %s", shell.Kebab(def.Name))}
	}
	body := any(map[string]any{})
	if v.Kind == source.Map {
		body = v.Go()
	}
	path := "/web/launch"
	if def.Name != "openBrowser" || r.device != "" {
		device, err := r.pick(ctx, def)
		if err != nil {
			return shell.Response{}, err
		}
		path = "/devices/" + url.PathEscape(device) + "/" + shell.Kebab(def.Name)
	}
	var out remoteOutcome
	code, err := r.ask(ctx, http.MethodPost, path, body, &out)
	if err != nil {
		return shell.Response{}, err
	}
	return out.response(code, def.Name, r.device), nil
}

// response converts the server's response to one of a session.
func (o remoteOutcome) response(code int, word, device string) shell.Response {
	a := shell.Response{Text: o.Message, Nearest: o.Candidates, Value: o.Value}
	for _, f := range o.Files {
		a.Files = append(a.Files, shell.File{Name: f.Name, Data: f.Data})
	}
	switch {
	case code == http.StatusOK && o.Passed:
		a.Text = fmt.Sprintf("ok: %s", shell.Kebab(word))
		if at := o.ID + device; at != "" {
			a.Text += " on " + at
		}
		if o.Detail != nil && o.Detail.Matched != "" {
			a.Text += ", " + o.Detail.Matched
		}
		a.Text += fmt.Sprintf(" (%d ms)", o.DurationMS)
		if o.Value != nil {
			a.Text += "\nvalue: " + dsl.Show(o.Value)
		}
		return a
	case code == http.StatusOK, code == http.StatusUnprocessableEntity:
		a.Exit = run.ExitFail
	case code == http.StatusBadRequest, code == http.StatusUnauthorized, code == http.StatusForbidden:
		a.Exit = run.ExitUsage
	default:
		a.Exit = run.ExitError
	}
	for _, one := range []struct{ name, text string }{{"expected", o.Expected}, {"actual", o.Actual}} {
		if one.text != "" && !strings.Contains(a.Text, one.text) {
			a.Text += "\n" + one.name + ": " + one.text
		}
	}
	if len(o.Candidates) > 0 {
		a.Text += "\nnearest: " + strings.Join(o.Candidates[:min(client.Nearest, len(o.Candidates))], "\n         ")
	}
	return a
}

// pick returns the device when none is named: the only open page, or the only phone.
func (r *remote) pick(ctx context.Context, def *dsl.Def) (string, error) {
	if r.device != "" {
		return r.device, nil
	}
	var list []struct {
		drivers.Info
		Open bool `json:"open"`
	}
	code, err := r.ask(ctx, http.MethodGet, "/devices", nil, &list)
	if err != nil {
		return "", err
	}
	if code != http.StatusOK {
		return "", fmt.Errorf("%s/devices responds with %d", r.base, code)
	}
	var ids []string
	for _, d := range list {
		if d.State == drivers.Ready && (def == nil || def.On(d.Platform)) && (d.Platform != dsl.Web || d.Open) {
			ids = append(ids, d.ID)
		}
	}
	switch len(ids) {
	case 1:
		r.device = ids[0]
		return ids[0], nil
	case 0:
		return "", errors.New(
			"the server has no open page and no single phone; taproot open URL --server … opens a page")
	}
	return "", &plan.Usage{Msg: "the server has several devices: name one with --device: " + strings.Join(ids, ", ")}
}

// snapshot lists the elements of the screen, without references.
func (r *remote) snapshot(ctx context.Context, view client.View) (shell.Response, error) {
	device, err := r.pick(ctx, nil)
	if err != nil {
		return shell.Response{}, err
	}
	var raw json.RawMessage
	code, err := r.ask(ctx, http.MethodGet, "/devices/"+url.PathEscape(device)+"/tree", nil, &raw)
	if err != nil {
		return shell.Response{}, err
	}
	if code != http.StatusOK {
		var out remoteOutcome
		err := json.Unmarshal(raw, &out)
		return out.response(code, "snapshot", device), err
	}
	var tree screen.Tree
	if err := json.Unmarshal(raw, &tree); err != nil {
		return shell.Response{}, err
	}
	if view.Diff || view.Under != "" {
		return shell.Response{},
			&plan.Usage{Msg: "--diff and --under are only for sessions on this machine; --find works here, too"}
	}
	same := func(s string) string { return s }
	shot, _ := client.NewRefs().Take(device, &tree, same)
	var lines []string
	for _, ref := range shot.Order {
		if line := shot.Lines[ref]; strings.Contains(strings.ToLower(line), strings.ToLower(view.Find)) {
			lines = append(lines, line)
		}
	}
	fence := client.NewFence()
	return shell.Response{Text: fmt.Sprintf("%s %dx%d, elements: %d\n", device, tree.Size.X, tree.Size.Y,
		len(lines)) + fence.Block(client.Capped(lines, view.Max))}, nil
}

func (r *remote) screenshot(ctx context.Context, a client.ScreenshotArgs) (shell.Response, error) {
	if a.Marks {
		return shell.Response{}, &plan.Usage{Msg: "--marks is only for sessions on this machine"}
	}
	device, err := r.pick(ctx, nil)
	if err != nil {
		return shell.Response{}, err
	}
	data, code, err := r.fetch(ctx, http.MethodGet, "/devices/"+
		url.PathEscape(device)+fmt.Sprintf("/screenshot?format=%s&max=%d", a.Format, a.MaxPx), nil)
	if err != nil {
		return shell.Response{}, err
	}
	if code != http.StatusOK {
		var out remoteOutcome
		err := json.Unmarshal(data, &out)
		return out.response(code, "screenshot", device), err
	}
	return shell.Response{Text: device, Images: []shell.Image{{Kind: "image/" + a.Format, Data: data}}}, nil
}

func (r *remote) ask(ctx context.Context, method, path string, body, answer any) (int, error) {
	data, code, err := r.fetch(ctx, method, path, body)
	if err == nil {
		if err = json.Unmarshal(data, answer); err != nil {
			err = fmt.Errorf("%s%s responds with %d, and not with JSON", r.base, path, code)
		}
	}
	return code, err
}

func (r *remote) fetch(ctx context.Context, method, path string, body any) ([]byte, int, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, 0, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, bytes.NewReader(data))
	if err != nil {
		return nil, 0, err
	}
	if data != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		request.Header.Set("X-API-Key", r.key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	data, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return data, response.StatusCode, err
}
