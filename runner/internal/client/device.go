package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// GoToTab brings the tab that the call names to the foreground.
func (c *Call) GoToTab(ctx context.Context, device string) error {
	def, _ := dsl.Lookup("webTab")
	at := source.Value{Kind: source.Map, Fields: []source.Field{
		{Key: "index", Value: source.Value{Kind: source.Int, Text: strconv.Itoa(*c.Tab)}},
		{Key: "timeout", Value: source.Value{Kind: source.Int, Text: "2000"}}}}
	_, _, err := c.doStep(ctx, device, step{def: def, value: at})
	return err
}

// ErrNoDevice means that there is no page and no phone for a call.
var ErrNoDevice = errors.New("there is no device to use")

// Choice returns the device of calls that name none; "" when none was chosen.
func (s *Client) Choice() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chosen
}

// IsOpen reports whether the session uses the device.
func (s *Client) IsOpen(id string) bool {
	for _, st := range s.Mine() {
		if st.Info.ID == id {
			return true
		}
	}
	return false
}

// platform returns the platform of an open device.
func (s *Client) platform(id string) dsl.Platform {
	for _, st := range s.Mine() {
		if st.Info.ID == id {
			return st.Info.Platform
		}
	}
	return dsl.Android
}

// AnyDevice finds the device of a call that works on every platform.
func (c *Call) AnyDevice(ctx context.Context) (string, error) {
	return c.Pick(ctx, []dsl.Platform{dsl.Android, dsl.IOS, dsl.Web})
}

// deviceFor finds the device of an action; opened reports that it opened a page.
func (c *Call) deviceFor(ctx context.Context, def *dsl.Def) (id string, opened bool, err error) {
	if c.is("openBrowser") && c.Device == "" && !strings.HasPrefix(c.Choice(), "web-") {
		id, err := c.NewPage(ctx)
		var busy *pool.BusyError
		if errors.As(err, &busy) {
			err = &Refusal{What: "no further page can be opened: " + strings.Join(c.Pages(), " and ") + " are open", Err: err,
				Try: "`closeBrowser`, or name the device to open the page in its place"}
		}
		return id, err == nil, err
	}
	id, err = c.Pick(ctx, def.Platforms)
	return id, false, err
}

// NewPage opens a page of a browser for this client.
func (s *Client) NewPage(ctx context.Context) (id string, err error) {
	status, err := s.Live.Launch(ctx, dsl.Web, s.Who)
	if err == nil {
		s.setNewest(status.Info.ID)
		err = s.lease(ctx, status.Info.ID)
	}
	return status.Info.ID, err
}

// Pick returns the named device, the chosen one, or the only one; it never guesses between several.
func (c *Call) Pick(ctx context.Context, platforms []dsl.Platform) (string, error) {
	device, err := c.find(ctx, platforms)
	if err == nil {
		err = c.lease(ctx, device)
	}
	return device, err
}

// deviceOfRefs returns the device of the references in the arguments; "" when none is known. A reference is used once
// in a session, so it also identifies its device.
func (c *Call) deviceOfRefs() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	device, first := "", ""
	for _, ref := range refsIn(c.Value) {
		was, ok := c.Refs.Known(ref)
		switch {
		case !ok || was.Device == device:
		case device == "":
			device, first = was.Device, ref
		default:
			return "", &Refusal{What: fmt.Sprintf("%s is an element of %s, and %s one of %s", first, device, ref, was.Device),
				Try: "use elements of one device in a call"}
		}
	}
	return device, nil
}

// refsIn lists the references in arguments, also in nested selectors.
func refsIn(v source.Value) (refs []string) {
	for _, f := range v.Fields {
		text := strings.TrimPrefix(strings.TrimSpace(f.Value.Text), "#")
		if f.Value.Kind == source.String && (f.Key == "ref" || slices.Contains(ElementKeys(), f.Key)) && IsRef(text) {
			refs = append(refs, text)
		}
		refs = append(refs, refsIn(f.Value)...)
	}
	for _, item := range v.Items {
		refs = append(refs, refsIn(item)...)
	}
	return refs
}

func (c *Call) find(ctx context.Context, platforms []dsl.Platform) (string, error) {
	if c.Device != "" {
		return c.Device, nil
	}
	if device, err := c.deviceOfRefs(); device != "" || err != nil {
		return device, err
	}
	var ids []string
	if slices.Contains(platforms, dsl.Web) {
		ids = c.Pages()
	}
	var why []string
	for _, p := range platforms {
		if p == dsl.Web {
			continue // only open devices can be used without naming them
		}
		infos, err := c.Pool.Usable(ctx, p)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		var none *pool.NoDeviceError
		if err != nil && (!errors.As(err, &none) || p == dsl.Android || len(platforms) == 1) {
			why = append(why, err.Error())
		}
		for _, i := range infos {
			ids = append(ids, i.ID)
		}
	}
	slices.Sort(ids)
	if set := c.Choice(); set != "" && (slices.Contains(ids, set) || len(ids) == 0) {
		return set, nil
	}
	switch {
	case len(ids) == 1:
		return ids[0], nil
	case c.newestOf(ids) != "":
		return c.newestOf(ids), nil
	case len(ids) > 1:
		return "", &Refusal{What: "there are several devices: " + strings.Join(ids, ", "),
			Try: "name one with device, or `setDevice`"}
	case !slices.Contains(platforms, dsl.Android) && slices.Contains(platforms, dsl.Web):
		return "", &Refusal{What: "no page is open", Try: "`openBrowser`", Err: drivers.ErrNoPage}
	}
	try := "`listDevices` lists the devices"
	if slices.Contains(platforms, dsl.Web) {
		try += "; `openBrowser` opens a page"
	}
	return "", &Refusal{What: strings.Join(append([]string{"there is no device to use"}, why...), ": "), Try: try,
		Err: ErrNoDevice}
}

// Choose sets the device of calls that name none.
func (s *Client) Choose(device string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chosen = device
}

// setNewest stores the page that was opened last.
func (s *Client) setNewest(page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newestPage = page
}

// newestOf returns the page that was opened last, when the session uses only pages; otherwise "".
func (s *Client) newestOf(ids []string) string {
	var open []string
	for _, st := range s.Mine() {
		if slices.Contains(ids, st.Info.ID) && (st.Hold == nil || st.Hold.Who == s.Who) {
			if st.Info.Platform != dsl.Web {
				return ""
			}
			open = append(open, st.Info.ID)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case slices.Contains(open, s.newestPage):
		return s.newestPage
	case len(open) == 1:
		return open[0]
	}
	return ""
}

// Pages lists the open browser pages.
func (s *Client) Pages() []string {
	var ids []string
	for _, st := range s.Mine() {
		if st.Info.Platform == dsl.Web {
			ids = append(ids, st.Info.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// ForgetDevice drops the state of a device after its page or screen is gone.
func (s *Client) ForgetDevice(device string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Refs.Drop(device)
	delete(s.scales, device)
	delete(s.newTabs, device)
	delete(s.pendingNews, device)
	s.News.Forget(device)
}

// Unsupported returns the refusal of an action that a device does not support.
func Unsupported(device, why string) error {
	return &Refusal{What: fmt.Sprintf("%s %s", device, why), Err: drivers.ErrUnsupported,
		Try: "`deviceInfo` describes the device"}
}
