// Package appium drives a phone behind an Appium server with the UiAutomator2 driver: requests to a drivers.Device go
// in, commands of WebDriver and of the driver ("mobile: …") go out. The trees are those of the agent, which that driver
// uses, too.
package appium

import (
	"image"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/native"
)

const (
	readLimit  = 25 * time.Second // a read of a screen with a window that hangs takes ten
	touchLimit = 30 * time.Second // Android waits up to ten for animations of windows
)

// Session is a session in which a phone is used. Its calls end with the life of the device.
type Session struct {
	*native.Session
	Phone PhoneInfo

	mu        sync.Mutex
	shell     error
	shellSeen bool
}

// PhoneInfo is what a session says of its phone when it is opened.
type PhoneInfo struct {
	Model, Manufacturer, Version string
	API, Density                 int
	Size                         image.Point // of the upright screen
	App                          string      // that the capabilities name
}

// ReadPhone reads the capabilities that the server has granted. What it does not say is zero.
func ReadPhone(granted native.Granted) PhoneInfo {
	text := granted.Text
	number := func(name string) int {
		n, _ := strconv.Atoi(text(name))
		return n
	}
	p := PhoneInfo{Model: text("deviceModel", "deviceName"), Manufacturer: text("deviceManufacturer"),
		Version: text("platformVersion"), API: number("deviceApiLevel"), Density: number("deviceScreenDensity"),
		App: text("appPackage")}
	if w, h, ok := strings.Cut(text("deviceScreenSize"), "x"); ok {
		x, errX := strconv.Atoi(w)
		y, errY := strconv.Atoi(h)
		if errX == nil && errY == nil && x > 0 && y > 0 && x < 1<<15 && y < 1<<15 {
			p.Size = image.Pt(x, y)
		}
	}
	return p
}
