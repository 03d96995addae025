package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/pool"
)

// nothing are the arguments of a tool without arguments of its own.
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
	Dialog       string `json:"dialog,omitempty"` // the open one, with the call that closes it
	Used         string `json:"used,omitempty"`   // who leased it, and when
}

// deviceList is the result of list_devices.
type deviceList struct {
	Devices  []deviceRecord `json:"devices"`
	Default  string         `json:"default,omitempty"`
	Problems []string       `json:"problems,omitempty"`
}

func record(i drivers.Info, open bool) deviceRecord {
	return deviceRecord{ID: i.ID, Platform: string(i.Platform), State: string(i.State), Problem: i.Problem, Model: i.Model,
		Manufacturer: i.Manufacturer,
		OSVersion:    i.OSVersion, APILevel: i.APILevel, Width: i.Width, Height: i.Height, Density: i.Density,
		Emulator: i.Emulator, Open: open}
}

func listDevices(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	infos, err := c.Live.List(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	list := deviceList{Devices: []deviceRecord{}, Default: c.Choice()}
	if err != nil {
		list.Problems = append(list.Problems, err.Error())
	}
	for _, i := range infos {
		r := record(i, c.IsOpen(i.ID))
		r.Used = c.usedBy(i)
		list.Devices = append(list.Devices, r)
	}
	if len(list.Devices) == 0 && len(list.Problems) == 0 {
		list.Problems = append(list.Problems,
			"there is no device: connect a phone with USB debugging on, start simulated ones with `taproot sim`, or install "+
				"Chromium (`taproot doctor`)")
	}
	return structured(list)
}

// usedBy describes who uses a device, and since when.
func (c *call) usedBy(i drivers.Info) string {
	const clock = "15:04:05 MST"
	for _, st := range c.Live.Open() {
		switch {
		case st.Info.ID != i.ID:
		case st.Hold != nil:
			return fmt.Sprintf("%s since %s, until %s", st.Hold.Who, st.Opened.Format(clock), st.Hold.Until.Format(clock))
		default:
			return fmt.Sprintf("%s since %s", c.Who, st.Opened.Format(clock))
		}
	}
	if i.Platform == dsl.Web {
		return ""
	}
	if h, busy := c.Pool.Busy(i.ID); busy {
		return fmt.Sprintf("process %d (%s) since %s", h.PID, h.What, h.Since.Format(clock))
	}
	return ""
}

func deviceInfo(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.AnyDevice(ctx)
	if err != nil {
		return nil, err
	}
	info, err := c.Live.Info(ctx, device)
	if err != nil {
		return nil, err
	}
	r := record(info, c.IsOpen(device))
	if info.State == drivers.Ready {
		err = c.Live.Use(ctx, device, c.Who, func(ctx context.Context, s *action.Performer) error {
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

// whatIsShown fills in the app in the foreground, or the page.
func (c *call) whatIsShown(ctx context.Context, d drivers.Device, r *deviceRecord) (err error) {
	open, err := client.OpenDialog(ctx, d)
	if open != nil {
		r.Dialog = c.DialogWords(open)
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

// chosenDevice is the result of set_device.
type chosenDevice struct {
	Default string `json:"default"`
	Tab     string `json:"tab,omitempty"`
}

func setDevice(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	id := c.args.(setDeviceArgs).Device
	if id == "" && c.Tab == nil {
		return nil, &client.Refusal{What: "set_device needs a device or a tab", Try: "list_devices and snapshot show them"}
	}
	if c.Tab != nil {
		return c.setTab(ctx, id)
	}
	info, err := c.Live.Info(ctx, id)
	if err != nil {
		return nil, err
	}
	if info.State != drivers.Ready {
		return nil, &pool.UnknownDeviceError{
			ID: id, Reason: strings.TrimSuffix(fmt.Sprintf("%s: %s", info.State, info.Problem), ": ")}
	}
	c.Choose(id)
	return structured(chosenDevice{Default: id})
}

// setTab brings a tab to the front, as the step of a test does.
func (c *call) setTab(ctx context.Context, device string) (*mcp.CallToolResult, error) {
	c.Device = device
	device, err := c.Pick(ctx, []dsl.Platform{dsl.Web})
	if err != nil {
		return nil, err
	}
	if err := c.GoToTab(ctx, device); err != nil {
		return nil, err
	}
	answer := chosenDevice{Default: device}
	var at string
	err = c.Live.Use(ctx, device, c.Who, func(ctx context.Context, s *action.Performer) (err error) {
		if n, ok := s.Device.(drivers.Navigator); ok {
			at, _, err = n.Location(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if c.Device != "" {
		c.Choose(device)
	}
	answer.Tab = c.Foreign(fmt.Sprintf("%d %s", *c.Tab, at))
	return structured(answer)
}

// appList is the result of list_apps.
type appList struct {
	Device string   `json:"device"`
	Apps   []string `json:"apps"`
}

func listApps(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.Pick(ctx, []dsl.Platform{dsl.Android, dsl.IOS})
	if err != nil {
		return nil, err
	}
	list := appList{Device: device, Apps: []string{}}
	err = c.Live.Use(ctx, device, c.Who, func(ctx context.Context, s *action.Performer) error {
		m, ok := s.Device.(drivers.AppManager)
		if !ok {
			return client.Unsupported(device, "has no apps")
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
