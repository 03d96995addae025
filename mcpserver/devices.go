package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
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
		list.Devices = append(list.Devices, record(i, c.isOpen(i.ID)))
	}
	if len(list.Devices) == 0 && len(list.Problems) == 0 {
		list.Problems = append(list.Problems, "there is no device: connect a phone with USB debugging on, start simulated ones with `taproot sim`, or install Chromium (`taproot doctor`)")
	}
	return structured(list)
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
		err = c.live.Use(ctx, device, who, func(ctx context.Context, s *action.Session) error {
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
		r.Dialog = dialogWords(open)
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
	Device string `json:"device" required:"true" minLength:"1" doc:"Device id, from list_devices."`
}

// chosenDevice is what set_device gives.
type chosenDevice struct {
	Default string `json:"default"`
}

func setDevice(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	id := c.args.(setDeviceArgs).Device
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
	return structured(chosenDevice{id})
}

func (s *Server) choice() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chosen
}

// isOpen tells whether the session has the device.
func (s *Server) isOpen(id string) bool {
	for _, st := range s.live.Open() {
		if st.Info.ID == id {
			return true
		}
	}
	return false
}

// platform gives that of a device that is open.
func (s *Server) platform(id string) dsl.Platform {
	for _, st := range s.live.Open() {
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
		status, err := c.live.Launch(ctx, dsl.Web, who)
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

// pages lists the browser pages that are open.
func (s *Server) pages() []string {
	var ids []string
	for _, st := range s.live.Open() {
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
	err = c.live.Use(ctx, device, who, func(ctx context.Context, s *action.Session) error {
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
