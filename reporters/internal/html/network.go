package html

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

const (
	harFile     = "network.har"
	maxHAR      = 32 << 20
	maxRequests = 400       // on a page; network.har has all
	maxHeaders  = 40        // of one request
	netBudget   = 400 << 10 // bytes of all requests on a page
	maxBody     = 2000      // runes of a body
)

// netData is the network requests of the pages.
type netData struct {
	Requests []requestData `json:"requests"`
	More     int           `json:"more,omitempty"` // that are only in network.har
	Why      string        `json:"why,omitempty"`  // why it cannot be shown
	Src      string        `json:"src"`
}

type requestData struct {
	At       int64       `json:"at"` // ms since the case started
	MS       float64     `json:"ms"`
	Method   string      `json:"method"`
	URL      string      `json:"url"`
	Status   int         `json:"status"` // 0: there was no response
	Error    string      `json:"error,omitempty"`
	Kind     string      `json:"kind,omitempty"` // document, script, fetch, …
	Type     string      `json:"type,omitempty"` // media type of the response
	Size     int         `json:"size"`           // bytes of the response's body; -1: unknown
	Step     int         `json:"step,omitempty"` // that was running
	Timings  []timing    `json:"timings,omitempty"`
	Asked    [][2]string `json:"asked,omitempty"` // headers
	Answered [][2]string `json:"answered,omitempty"`
	Body     string      `json:"body,omitempty"` // of the request
}

// timing is a part of the time that a request took.
type timing struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"`
}

// harLog is the part of an HTTP Archive 1.2 that is read.
type harLog struct {
	Log struct {
		Entries []struct {
			Started time.Time           `json:"startedDateTime"`
			Time    float64             `json:"time"`
			Kind    string              `json:"_resourceType"`
			Timings map[string]*float64 `json:"timings"`
			Request struct {
				Method  string     `json:"method"`
				URL     string     `json:"url"`
				Headers []harField `json:"headers"`
				Post    *struct {
					Text string `json:"text"`
				} `json:"postData"`
			} `json:"request"`
			Response struct {
				Status  int        `json:"status"`
				Headers []harField `json:"headers"`
				Error   string     `json:"_error"`
				Content struct {
					Size int    `json:"size"`
					Type string `json:"mimeType"`
				} `json:"content"`
			} `json:"response"`
		} `json:"entries"`
	} `json:"log"`
}

type harField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// network reads the pack's HTTP Archive; a pack without one has no panel.
func (b *builder) network() {
	file := fileOf(b.res, harFile)
	data, err := readFile(b.root, file, maxHAR)
	if err != nil {
		if _, gone := openFile(b.root, file); gone == nil {
			b.out.Net = &netData{Requests: []requestData{}, Why: shown(err.Error(), maxLabel), Src: b.link(file)}
		}
		return
	}
	var har harLog
	if err := json.Unmarshal(data, &har); err != nil {
		b.out.Net = &netData{Requests: []requestData{}, Why: shown(fmt.Sprintf("%s cannot be read: %v", file, err),
			maxLabel), Src: b.link(file)}
		return
	}
	net := &netData{Requests: []requestData{}, Src: b.link(file)}
	b.out.Net = net
	room := netBudget
	for i, e := range har.Log.Entries {
		if i == maxRequests {
			net.More = len(har.Log.Entries) - i
			break
		}
		r := requestData{At: e.Started.Sub(b.res.Started).Milliseconds(), MS: max(0, e.Time),
			Method: shown(e.Request.Method, 20), URL: shown(e.Request.URL, maxLogLine),
			Status: e.Response.Status, Error: shown(e.Response.Error, maxLabel), Kind: shown(e.Kind, 30),
			Type: shown(e.Response.Content.Type, 80), Size: e.Response.Content.Size,
			Step: stepAt(b.res, e.Started)}
		if r.Status < 0 {
			r.Status = 0
		}
		for _, name := range []string{"blocked", "dns", "connect", "ssl", "send", "wait", "receive"} {
			if ms := e.Timings[name]; ms != nil && *ms > 0 {
				r.Timings = append(r.Timings, timing{name, *ms})
			}
		}
		if room > 0 {
			r.Asked, r.Answered = headers(e.Request.Headers), headers(e.Response.Headers)
			if e.Request.Post != nil {
				r.Body = shownLines(e.Request.Post.Text, maxBody)
			}
			for _, h := range append(r.Asked[:len(r.Asked):len(r.Asked)], r.Answered...) {
				room -= len(h[0]) + len(h[1]) + 8
			}
			room -= len(r.Body) + len(r.URL)
		}
		net.Requests = append(net.Requests, r)
	}
}

func headers(list []harField) [][2]string {
	var out [][2]string
	for _, h := range list[:min(len(list), maxHeaders)] {
		out = append(out, [2]string{shown(h.Name, 80), shown(h.Value, maxLabel)})
	}
	return out
}

// stepAt is the step that was running at a time; 0: none had started.
func stepAt(res *event.CaseResult, at time.Time) int {
	n := 0
	for _, s := range res.Steps {
		if !s.Started.IsZero() && !s.Started.After(at) {
			n = s.N
		}
	}
	return n
}
