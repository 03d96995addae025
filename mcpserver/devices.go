package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/pool"
)

// nothing are the arguments of a tool that takes none of its own.
type nothing struct{}

// deviceRecord is a device as tools show it.
type deviceRecord struct {
	ID           string `json:"id"`
	Platform     string `json:"platform"`
	State        string `json:"state"`
	Problem      string `json:"problem,omitempty"`
	Model        string `json:"model,omitempty"`
	Manufacturer string `json:"manufacturer,omitempty"`
	OSVersion    string `json:"os_version,omitempty"`
	APILevel     int    `json:"api_level,omitempty"`
	Width        int    `json:"width,omitempty"`
	Height       int    `json:"height,omitempty"`
	Density      int    `json:"density,omitempty"`
	Emulator     bool   `json:"emulator,omitempty"`
	Open         bool   `json:"open"` // in use by this session
	App          string `json:"app,omitempty"`
	URL          string `json:"url,omitempty"`
	Title        string `json:"title,omitempty"`
	Dialog       string `json:"dialog,omitempty"` // that is open, with how it is answered
	Used         string `json:"used,omitempty"`   // by whom, since when
}

// deviceList is what list_devices gives.
type deviceList struct {
	Devices  []deviceRecord `json:"devices"`
	Default  string         `json:"default,omitempty"`
	Problems []string       `json:"problems,omitempty"`
}

func record(i drivers.Info, open bool) deviceRecord {
	return deviceRecord{ID: i.ID, Platform: string(i.Platform), State: string(i.State), Problem: i.Problem, Model: i.Model, Manufacturer: i.Manufacturer,
		OSVersion: i.OSVersion, APILevel: i.APILevel, Width: i.Width, Height: i.Height, Density: i.Density, Emulator: i.Emulator, Open: open}
}

func listDevices(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	infos, err := c.live.List(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	list := deviceList{Devices: []deviceRecord{}, Default: c.choice()}
	if err != nil {
		list.Problems = append(list.Problems, err.Error())
	}
	for _, i := range infos {
		r := record(i, c.isOpen(i.ID))
		r.Used = c.usedBy(i)
		list.Devices = append(list.Devices, r)
	}
	if len(list.Devices) == 0 && len(list.Problems) == 0 {
		list.Problems = append(list.Problems, "there is no device: connect a phone with USB debugging on, start simulated ones with `taproot sim`, or install Chromium (`taproot doctor`)")
	}
	return structured(list)
}

// usedBy tells who uses a device, and since when.
func (c *call) usedBy(i drivers.Info) string {
	const clock = "15:04:05 MST"
	for _, st := range c.live.Open() {
		switch {
		case st.Info.ID != i.ID:
		case st.Hold != nil:
			return fmt.Sprintf("%s since %s, until %s", st.Hold.Who, st.Opened.Format(clock), st.Hold.Until.Format(clock))
		default:
			return fmt.Sprintf("%s since %s", c.who, st.Opened.Format(clock))
		}
	}
	if i.Platform == dsl.Web {
		return ""
	}
	if h, busy := c.pool.Busy(i.ID); busy {
		return fmt.Sprintf("process %d (%s) since %s", h.PID, h.What, h.Since.Format(clock))
	}
	return ""
}

func deviceInfo(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.anyDevice(ctx)
	if err != nil {
		return nil, err
	}
	info, err := c.live.Info(ctx, device)
	if err != nil {
		return nil, err
	}
	r := record(info, c.isOpen(device))
	if info.State == drivers.Ready {
		err = c.live.Use(ctx, device, c.who, func(ctx context.Context, s *action.Session) error {
			now := s.Device.Info()
			r = record(now, true)
			r.State = string(info.State)
			return c.whatIsShown(ctx, s.Device, &r)
		})
	}
	if err != nil {
		return nil, err
	}
	return structured(r)
}

// whatIsShown tells the app in front or the page.
func (c *call) whatIsShown(ctx context.Context, d drivers.Device, r *deviceRecord) (err error) {
	open, err := openDialog(ctx, d)
	if open != nil {
		r.Dialog = c.dialogWords(open)
	} else if n, ok := d.(drivers.Navigator); ok && err == nil {
		r.URL, r.Title, err = n.Location(ctx)
	} else if a, ok := d.(drivers.Apps); ok {
		r.App, err = a.Foreground(ctx)
	}
	if errors.Is(err, drivers.ErrPage) {
		return nil // no page is open yet
	}
	return err
}

// setDeviceArgs are those of the tool set_device.
type setDeviceArgs struct {
	Device string `json:"device,omitempty" minLength:"1" doc:"Device id, from list_devices."`
}

// chosenDevice is what set_device gives.
type chosenDevice struct {
	Default string `json:"default"`
	Tab     string `json:"tab,omitempty"`
}

func setDevice(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	id := c.args.(setDeviceArgs).Device
	if id == "" && c.tab == nil {
		return nil, &refusal{What: "set_device needs a device or a tab", Try: "list_devices and snapshot show them"}
	}
	if c.tab != nil {
		return c.setTab(ctx, id)
	}
	info, err := c.live.Info(ctx, id)
	if err != nil {
		return nil, err
	}
	if info.State != drivers.Ready {
		return nil, &pool.UnknownDeviceError{ID: id, Reason: strings.TrimSuffix(fmt.Sprintf("%s: %s", info.State, info.Problem), ": ")}
	}
	c.mu.Lock()
	c.chosen = id
	c.mu.Unlock()
	return structured(chosenDevice{Default: id})
}

// setTab brings a tab to the front, as the step of a test that does so.
func (c *call) setTab(ctx context.Context, device string) (*mcp.CallToolResult, error) {
	c.device = device
	device, err := c.pick(ctx, []dsl.Platform{dsl.Web})
	if err != nil {
		return nil, err
	}
	if err := c.goToTab(ctx, device); err != nil {
		return nil, err
	}
	answer := chosenDevice{Default: device}
	var at string
	err = c.live.Use(ctx, device, c.who, func(ctx context.Context, s *action.Session) (err error) {
		if n, ok := s.Device.(drivers.Navigator); ok {
			at, _, err = n.Location(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if c.device != "" {
		c.chosen = device
	}
	c.mu.Unlock()
	answer.Tab = c.foreign(fmt.Sprintf("%d %s", *c.tab, at))
	return structured(answer)
}

// goToTab brings the tab that the call names to the front.
func (c *call) goToTab(ctx context.Context, device string) error {
	def, _ := dsl.Lookup("webPage")
	at := source.Value{Kind: source.Map, Fields: []source.Field{{Key: "index", Value: source.Value{Kind: source.Int, Text: strconv.Itoa(*c.tab)}},
		{Key: "timeoutMs", Value: source.Value{Kind: source.Int, Text: "2000"}}}}
	_, _, err := c.doStep(ctx, device, step{def: def, value: at})
	return err
}

func (s *Server) choice() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chosen
}

// isOpen tells whether the session has the device.
func (s *Server) isOpen(id string) bool {
	for _, st := range s.mine() {
		if st.Info.ID == id {
			return true
		}
	}
	return false
}

// platform gives that of a device that is open.
func (s *Server) platform(id string) dsl.Platform {
	for _, st := range s.mine() {
		if st.Info.ID == id {
			return st.Info.Platform
		}
	}
	return dsl.Android
}

// anyDevice finds the device of a call that works everywhere.
func (c *call) anyDevice(ctx context.Context) (string, error) {
	return c.pick(ctx, []dsl.Platform{dsl.Android, dsl.IOS, dsl.Web})
}

// deviceFor finds the device of an operation; opened: a page was opened for it.
func (c *call) deviceFor(ctx context.Context, def *dsl.Def) (id string, opened bool, err error) {
	if c.tool.name == "open_browser" && c.device == "" && !strings.HasPrefix(c.choice(), "web-") {
		status, err := c.live.Launch(ctx, dsl.Web, c.who)
		if err == nil {
			c.setNewest(status.Info.ID)
			err = c.hold(ctx, status.Info.ID)
		}
		var busy *pool.BusyError
		if errors.As(err, &busy) {
			err = &refusal{What: "no further page can be opened: " + strings.Join(c.pages(), " and ") + " are open", Err: err,
				Try: "close_browser, or name the device to open the page in its place"}
		}
		return status.Info.ID, err == nil, err
	}
	id, err = c.pick(ctx, def.Platforms)
	return id, false, err
}

// pick gives the device that was named, the one that was set, or the only one there is: nobody's device is guessed.
func (c *call) pick(ctx context.Context, platforms []dsl.Platform) (string, error) {
	device, err := c.find(ctx, platforms)
	if err == nil {
		err = c.hold(ctx, device)
	}
	return device, err
}

func (c *call) find(ctx context.Context, platforms []dsl.Platform) (string, error) {
	if c.device != "" {
		return c.device, nil
	}
	var ids []string
	if slices.Contains(platforms, dsl.Web) {
		ids = c.pages()
	}
	var why []string
	for _, p := range platforms {
		if p == dsl.Web {
			continue // those that are not open are no use yet
		}
		infos, err := c.pool.Usable(ctx, p)
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
	if set := c.choice(); set != "" && (slices.Contains(ids, set) || len(ids) == 0) {
		return set, nil
	}
	switch {
	case len(ids) == 1:
		return ids[0], nil
	case c.newestOf(ids) != "":
		return c.newestOf(ids), nil
	case len(ids) > 1:
		return "", &refusal{What: "there are several devices: " + strings.Join(ids, ", "), Try: "name one with device, or call set_device"}
	case !slices.Contains(platforms, dsl.Android) && slices.Contains(platforms, dsl.Web):
		return "", &refusal{What: "no page is open", Try: "open_browser", Err: drivers.ErrPage}
	}
	try := "list_devices shows what there is"
	if slices.Contains(platforms, dsl.Web) {
		try += "; open_browser opens a page"
	}
	return "", &refusal{What: strings.Join(append([]string{"there is no device to use"}, why...), ": "), Try: try}
}

// setNewest notes the page that was opened last.
func (s *Server) setNewest(page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = page
}

// newestOf gives the page that was opened last, when the session uses nothing but pages; "" when nothing is sure.
func (s *Server) newestOf(ids []string) string {
	var open []string
	for _, st := range s.mine() {
		if slices.Contains(ids, st.Info.ID) && (st.Hold == nil || st.Hold.Who == s.who) {
			if st.Info.Platform != dsl.Web {
				return ""
			}
			open = append(open, st.Info.ID)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case slices.Contains(open, s.newest):
		return s.newest
	case len(open) == 1:
		return open[0]
	}
	return ""
}

// pages lists the browser pages that are open.
func (s *Server) pages() []string {
	var ids []string
	for _, st := range s.mine() {
		if st.Info.Platform == dsl.Web {
			ids = append(ids, st.Info.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// forget drops what is remembered of a device whose page or screen is gone.
func (s *Server) forget(device string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refs.Drop(device)
	delete(s.scales, device)
	delete(s.strayed, device)
	delete(s.early, device)
	s.news.Forget(device)
}

// appList is what list_apps gives.
type appList struct {
	Device string   `json:"device"`
	Apps   []string `json:"apps"`
}

func listApps(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.pick(ctx, []dsl.Platform{dsl.Android, dsl.IOS})
	if err != nil {
		return nil, err
	}
	list := appList{Device: device, Apps: []string{}}
	err = c.live.Use(ctx, device, c.who, func(ctx context.Context, s *action.Session) error {
		m, ok := s.Device.(drivers.AppManager)
		if !ok {
			return unsupported(device, "has no apps")
		}
		apps, err := m.ListApps(ctx)
		list.Apps = append(list.Apps, apps...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return structured(list)
}

// unsupported refuses what a device cannot do.
func unsupported(device, why string) error {
	return &refusal{What: fmt.Sprintf("%s %s", device, why), Err: drivers.ErrUnsupported, Try: "device_info tells what the device is"}
}
