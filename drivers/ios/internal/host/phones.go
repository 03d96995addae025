package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// coreDevice is a device in devicectl's list.
type coreDevice struct {
	ID         string `json:"identifier"` // CoreDevice's own name, by which it takes a device, too
	Connection struct {
		Pairing string `json:"pairingState"`
		Tunnel  string `json:"tunnelState"`
		Address string `json:"tunnelIPAddress"`
	} `json:"connectionProperties"`
	Device struct {
		Name          string `json:"name"`
		DeveloperMode string `json:"developerModeStatus"`
		Version       string `json:"osVersionNumber"`
	} `json:"deviceProperties"`
	Hardware struct {
		Platform string `json:"platform"`
		Reality  string `json:"reality"`
		Model    string `json:"marketingName"`
		Product  string `json:"productType"`
		UDID     string `json:"udid"`
	} `json:"hardwareProperties"`
}

// Phones returns the iPhones that Xcode knows.
func (t Tools) Phones(ctx context.Context) ([]Found, error) {
	if t.Xcrun == "" {
		return nil, nil
	}
	out, err := t.coreDeviceJSON(ctx, "list", "devices")
	if err != nil {
		if err := NoXcode(err, "devicectl"); errors.As(err, new(*drivers.Unavailable)) {
			return nil, nil // Xcode 14 has none; go-ios may serve
		}
		return nil, err
	}
	return parsePhones(out)
}

// coreDeviceJSON runs devicectl and returns the result, which it writes into a file: what it prints is for people.
func (t Tools) coreDeviceJSON(ctx context.Context, args ...string) (json.RawMessage, error) {
	dir, err := os.MkdirTemp("", "taproot-devicectl-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "answer.json")
	c := t.devicectl(args...)
	c.Args = append(c.Args, "--json-output", file)
	c.Limit = listLimit
	_, runErr := t.Run(ctx, c)
	data, err := os.ReadFile(file)
	if runErr != nil || err != nil {
		return nil, errors.Join(runErr, err)
	}
	var answer struct {
		Info struct {
			Outcome string `json:"outcome"`
		} `json:"info"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", c.Name, err, screen.Quote(string(data)))
	}
	if answer.Info.Outcome != "success" && answer.Info.Outcome != "" || answer.Result == nil {
		return nil, fmt.Errorf("%s: its outcome is %s", c.Name, screen.Quote(answer.Info.Outcome))
	}
	return answer.Result, nil
}

func parsePhones(out []byte) ([]Found, error) {
	var result struct {
		Devices []coreDevice `json:"devices"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return nil, fmt.Errorf("devicectl list devices: %w: %s", err, screen.Quote(string(out)))
	}
	var list []Found
	for _, c := range result.Devices {
		h := c.Hardware
		if h.Reality != "" && h.Reality != "physical" || !c.mayBePhone() {
			continue // watches, televisions, and the simulators that Xcode 27 lists here, too
		}
		info := drivers.Info{ID: cmp.Or(h.UDID, c.ID), Platform: dsl.IOS, Model: cmp.Or(h.Model, h.Product, c.Device.Name),
			Manufacturer: "Apple",
			OSVersion:    c.Device.Version, State: c.state()}
		info.Problem = remedy(info.State)
		list = append(list, Found{Info: info, Kind: Phone, Tunnel: c.Connection.Address, NoUDID: h.UDID == ""})
	}
	return list, nil
}

// mayBePhone: of a device that does not trust this machine, nothing is known but that it is there.
func (c coreDevice) mayBePhone() bool {
	if c.Hardware.Platform == "" {
		return c.ID != "" && c.state() == Untrusted
	}
	return c.Hardware.Platform == "iOS" && (c.Hardware.UDID != "" || c.ID != "")
}

// state: a tunnel that is merely not connected is made when it is needed.
func (c coreDevice) state() drivers.State {
	switch {
	case c.Connection.Pairing != "paired" && c.Connection.Pairing != "":
		return Untrusted
	case c.Connection.Tunnel == "unavailable":
		return away
	case c.Device.DeveloperMode == "disabled":
		return NoDevMode
	}
	return drivers.Ready
}

// muxDevice is a device in go-ios's detailed list.
type muxDevice struct{ Udid, ProductName, ProductType, ProductVersion string }

// muxed returns the iPhones that go-ios reaches by usbmuxd.
func (t Tools) muxed(ctx context.Context) ([]Found, error) {
	if t.GoIOS == "" {
		return nil, nil
	}
	devices, err := t.listMux(ctx)
	if err != nil {
		return nil, err
	}
	tunnels, list := t.tunnels(ctx), make([]Found, len(devices))
	var asking sync.WaitGroup
	for i, m := range devices {
		asking.Go(func() {
			info := drivers.Info{ID: m.Udid, Platform: dsl.IOS, Model: m.ProductType, Manufacturer: "Apple",
				OSVersion: m.ProductVersion}
			info.State = t.muxState(ctx, m, tunnels)
			info.Problem = remedy(info.State)
			list[i] = Found{Info: info, Kind: Mux}
		})
	}
	asking.Wait()
	return list, nil
}

// listMux queries details; as go-ios returns none at all when one phone is not trusted, it is then queried phone by
// phone.
func (t Tools) listMux(ctx context.Context) ([]muxDevice, error) {
	c := t.GoIOSCommand("list", "--details")
	c.Limit = listLimit
	var detailed struct {
		DeviceList []muxDevice `json:"deviceList"`
	}
	if out, err := t.Run(ctx, c); err == nil {
		if err := JSONIn(out, "deviceList", &detailed); err != nil {
			return nil, fmt.Errorf("ios list: %w: %s", err, screen.Quote(string(out)))
		}
		return detailed.DeviceList, nil
	}
	c.Args = []string{"list"}
	out, err := t.Run(ctx, c)
	if err != nil {
		return nil, noMux(err)
	}
	var plain struct {
		DeviceList []string `json:"deviceList"`
	}
	if err := JSONIn(out, "deviceList", &plain); err != nil {
		return nil, fmt.Errorf("ios list: %w: %s", err, screen.Quote(string(out)))
	}
	devices := make([]muxDevice, len(plain.DeviceList))
	var asking sync.WaitGroup
	for i, udid := range plain.DeviceList {
		asking.Go(func() { devices[i] = t.muxInfo(ctx, udid) })
	}
	asking.Wait()
	return devices, nil
}

// noMux explains a go-ios that finds no usbmuxd.
func noMux(err error) error {
	var failed *ToolError
	if errors.As(err, &failed) && strings.Contains(failed.output, "usbmuxd") {
		return &drivers.Unavailable{What: "go-ios cannot reach usbmuxd, by which phones are reached",
			Fix: "install and start usbmuxd (package usbmuxd; on Windows it comes with Apple's device drivers)"}
	}
	return err
}

// muxInfo queries one phone; a phone that reports nothing is not trusted.
func (t Tools) muxInfo(ctx context.Context, udid string) muxDevice {
	m := muxDevice{Udid: udid}
	out, err := t.Run(ctx, t.GoIOSCommand("info", "--udid="+udid))
	if err == nil {
		_ = JSONIn(out, "ProductVersion", &m) // what is not there stays empty
	}
	m.Udid = udid
	return m
}

// tunnels returns the phones to which go-ios has a tunnel.
func (t Tools) tunnels(ctx context.Context) map[string]bool {
	up := map[string]bool{}
	out, err := t.Run(ctx, t.GoIOSCommand("tunnel", "ls"))
	if err != nil {
		return up // its agent does not run, so there is none
	}
	var list []struct {
		UDID string `json:"udid"`
	}
	_ = JSONIn(out, "", &list) // no list: none
	for _, tunnel := range list {
		up[tunnel.UDID] = true
	}
	return up
}

func (t Tools) muxState(ctx context.Context, m muxDevice, tunnels map[string]bool) drivers.State {
	if m.ProductVersion == "" {
		return Untrusted
	}
	if !older(m.ProductVersion, "16") {
		var mode struct{ DeveloperModeEnabled *bool }
		ask := t.GoIOSCommand("devmode", "get", "--udid="+m.Udid)
		ask.Logged = true // one that cannot ask the phone says "false"
		out, err := t.Run(ctx, ask)
		if err == nil && JSONIn(out, "DeveloperModeEnabled", &mode) == nil && mode.DeveloperModeEnabled != nil &&
			!*mode.DeveloperModeEnabled {
			return NoDevMode
		}
	}
	if !older(m.ProductVersion, "17") && !tunnels[m.Udid] {
		return NoTunnel
	}
	return drivers.Ready
}

// older compares versions number by number.
func older(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		p, q := part(x, i), part(y, i)
		if p != q {
			return p < q
		}
	}
	return false
}

func part(version []string, i int) int {
	if i >= len(version) {
		return 0
	}
	n, err := strconv.Atoi(version[i])
	if err != nil {
		return 0
	}
	return n
}
