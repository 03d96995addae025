package androidtest

import (
	"fmt"
	"image"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Location is where the phone has been made to believe that it is; ok is false while it believes its receiver.
func (p *Phone) Location() (latitude, longitude float64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.senses.places["gps"]
	return at[0], at[1], ok && len(p.senses.providers) > 0
}

// Gallery lists the files that apps find in the media index.
func (p *Phone) Gallery() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.senses.media))
}

// senses are what the phone believes of the world. Phone.mu guards them.
type senses struct {
	mocking      bool            // the shell may make places up
	providers    map[string]bool // test providers
	places       map[string][2]float64
	media        map[string]int // the index of media: path to id
	touches      multiTouch
	acceleration [3]float64
	turns        int      // of the acceleration
	fingers      []int    // that have touched the sensor
	made         []string // the names of input devices that uinput made
}

func newSenses() senses {
	return senses{providers: map[string]bool{}, places: map[string][2]float64{}, media: map[string]int{}, acceleration: [3]float64{0, 9.77622, 0.813417}}
}

const locationUsage = `Location service commands:
  help or -h
    Print this help text.
  is-location-enabled [--user <USER_ID>]
  set-location-enabled true|false [--user <USER_ID>]
  providers
    add-test-provider <PROVIDER> [--requiresNetwork] [--requiresSatellite] ...
    remove-test-provider <PROVIDER>
    set-test-provider-enabled <PROVIDER> true|false
    set-test-provider-location <PROVIDER> --location <LATITUDE>,<LONGITUDE> [--accuracy <ACCURACY>] [--time <TIME>]
`

func cmdLocation(c *call) int {
	args := c.args[1:]
	if len(args) == 2 && args[0] == "set-location-enabled" {
		return 0
	}
	if len(args) < 3 || args[0] != "providers" {
		return c.fail(255, "%s", locationUsage)
	}
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	s, verb, name := &c.phone.senses, args[1], args[2]
	if !s.mocking {
		return c.exception("java.lang.SecurityException: com.android.shell from uid 2000 not allowed to perform MOCK_LOCATION", "location", "providers")
	}
	switch verb {
	case "add-test-provider":
		s.providers[name] = true
		return 0
	case "remove-test-provider":
		delete(s.providers, name)
		delete(s.places, name)
		return 0
	}
	if !s.providers[name] {
		return c.exception(fmt.Sprintf("java.lang.IllegalArgumentException: %s provider is not a test provider", name), "location", "providers")
	}
	switch verb {
	case "set-test-provider-enabled":
		return 0
	case "set-test-provider-location":
		return c.setPlace(name, args[3:])
	}
	return c.fail(255, "%s", locationUsage)
}

func (c *call) setPlace(name string, args []string) int {
	for i, a := range args {
		if a != "--location" || i+1 >= len(args) {
			continue
		}
		lat, lon, _ := strings.Cut(args[i+1], ",")
		latitude, err1 := strconv.ParseFloat(lat, 64)
		longitude, err2 := strconv.ParseFloat(lon, 64)
		if err1 != nil || err2 != nil {
			return c.exception("java.lang.NumberFormatException: For input string: \""+args[i+1]+"\"", "location", "providers")
		}
		c.phone.senses.places[name] = [2]float64{latitude, longitude}
		return 0
	}
	return c.exception("java.lang.IllegalArgumentException: Option \"--location\" is required", "location", "providers")
}

// scan puts a file into the media index. Phone.mu is held.
func (p *Phone) scan(name string) {
	name = resolve("/", strings.TrimPrefix(name, "file://"))
	if _, err := p.files.stat(name); err == nil && strings.HasPrefix(name, "/sdcard/") {
		p.senses.media["/storage/emulated/0"+strings.TrimPrefix(name, "/sdcard")] = 1000 + len(p.senses.media)
	}
}

var dataIs = lazyregexp.New(`^_data='([^']*)'$`)

// cmdContent is the shell's way to content providers, of which there is one.
func cmdContent(c *call) int {
	verb, options := "", map[string]string{}
	if len(c.args) > 1 {
		verb = c.args[1]
	}
	for i := 2; i+1 < len(c.args); i += 2 {
		options[c.args[i]] = c.args[i+1]
	}
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	if !strings.HasPrefix(options["--uri"], "content://media") {
		c.errorf("[ERROR] Could not find provider: %s\n", options["--uri"])
		return 0
	}
	where := ""
	if m := dataIs.FindStringSubmatch(options["--where"]); m != nil {
		where = m[1]
	}
	switch verb {
	case "call":
		if c.phone.prof.api >= 30 && options["--method"] == "scan_file" {
			c.phone.scan(options["--arg"])
		}
		c.printf("Result: null\n")
	case "query":
		id, ok := c.phone.senses.media[where]
		if !ok {
			c.printf("No result found.\n")
			break
		}
		c.printf("Row: 0 _id=%d\n", id)
	case "delete":
		delete(c.phone.senses.media, where)
	default:
		return c.fail(1, "[ERROR] Unsupported command: %s", verb)
	}
	return 0
}

// The touch panel of the simulated phone.
const (
	panelPath = "/dev/input/event2"
	panelMax  = 4095
)

func cmdGetevent(c *call) int {
	if len(c.args) < 2 || !strings.Contains(c.args[1], "p") {
		return c.fail(1, "getevent: only -p is simulated")
	}
	c.printf("add device 1: /dev/input/event0\n  name:     \"gpio-keys\"\n  events:\n    KEY (0001): 0072  0073  0074 \n  input props:\n    <none>\n")
	c.printf("add device 2: %s\n  name:     \"sec_touchscreen\"\n  events:\n    KEY (0001): 014a \n", panelPath)
	c.printf("    ABS (0003): 002f  : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0\n"+
		"                0035  : value 0, min 0, max %[1]d, fuzz 0, flat 0, resolution 0\n"+
		"                0036  : value 0, min 0, max %[1]d, fuzz 0, flat 0, resolution 0\n"+
		"                0039  : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0\n  input props:\n    INPUT_PROP_DIRECT\n", panelMax)
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	for _, name := range c.phone.senses.made {
		c.printf("add device 3: /dev/input/event9\n  name:     \"%s\"\n", name)
	}
	return 0
}

// multiTouch is what the panel's driver knows of its fingers.
type multiTouch struct {
	slot   int
	finger [2]struct {
		down     bool
		at, from image.Point // in the panel's unit
		fresh    bool        // from is not known yet
	}
	ended bool // a finger was lifted since the last report
}

// cmdSendevent writes one event to the panel, as the kernel takes it. From Android 10 on the shell may not, unless adbd is root.
func cmdSendevent(c *call) int {
	if len(c.args) != 5 {
		return c.fail(1, "use: sendevent <device> <type> <code> <value>")
	}
	var n [3]int
	for i := range n {
		v, err := strconv.Atoi(c.args[2+i])
		if err != nil {
			return c.fail(1, "sendevent: not a number: %s", c.args[2+i])
		}
		n[i] = v
	}
	if c.args[1] != panelPath {
		return c.fail(1, "could not open %s, No such file or directory", c.args[1])
	}
	if c.phone.prof.api >= 29 && !c.phone.opts.Root {
		return c.fail(1, "sendevent: %s: Permission denied", c.args[1])
	}
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	c.phone.panelEvent(n[0], n[1], n[2])
	return 0
}

// panelEvent follows protocol B of Linux's multi-touch. Phone.mu is held.
func (p *Phone) panelEvent(kind, code, value int) {
	t := &p.senses.touches
	if kind == 3 && code == 47 {
		t.slot = value & 1
		return
	}
	f := &t.finger[t.slot]
	switch {
	case kind == 3 && code == 57 && value >= 0:
		f.down, f.fresh = true, true
	case kind == 3 && code == 57:
		f.down, t.ended = false, t.ended || f.down
	case kind == 3 && code == 53:
		f.at.X = value
	case kind == 3 && code == 54:
		f.at.Y = value
	case kind == 0:
		for i := range t.finger {
			if one := &t.finger[i]; one.fresh {
				one.from, one.fresh = one.at, false
			}
		}
		if t.ended && !t.finger[0].down && !t.finger[1].down {
			p.pinched([2]image.Point{t.finger[0].from, t.finger[1].from}, [2]image.Point{t.finger[0].at, t.finger[1].at})
			*t = multiTouch{}
		}
	}
}

// pinched tells the view under the middle of two fingers how they moved. Phone.mu is held.
func (p *Phone) pinched(from, to [2]image.Point) {
	pixel := func(at image.Point) image.Point {
		x, y := at.X*(p.opts.Width-1)/panelMax, at.Y*(p.opts.Height-1)/panelMax
		switch p.ui.rotation() {
		case 1:
			return image.Pt(y, p.opts.Width-1-x)
		case 2:
			return image.Pt(p.opts.Width-1-x, p.opts.Height-1-y)
		case 3:
			return image.Pt(p.opts.Height-1-y, x)
		}
		return image.Pt(x, y)
	}
	p.pinchedAt([2]image.Point{pixel(from[0]), pixel(from[1])}, [2]image.Point{pixel(to[0]), pixel(to[1])})
}

// pinchedAt is pinched in pixels of the screen as it stands. Phone.mu is held.
func (p *Phone) pinchedAt(from, to [2]image.Point) {
	a, b, c, d := from[0], from[1], to[0], to[1]
	middle := a.Add(b).Div(2)
	p.ui.lastTap = firstTap{}
	w := p.ui.frame(time.Now()).windowAt(middle)
	if w == nil {
		p.record(Tap{Kind: "pinch", Point: middle}, nil)
		return
	}
	v := w.root.hit(middle)
	p.record(Tap{Kind: "pinch", Point: middle, Package: w.root.pkg}, v)
	switch {
	case v == nil || v.disabled:
	case v.web != nil:
		v.web.moved(from[:], to[:], 0)
	case v.onPinch != nil:
		v.onPinch(squared(d.Sub(c)) > squared(b.Sub(a)))
	}
}

func squared(p image.Point) int { return p.X*p.X + p.Y*p.Y }

// cmdRmdir removes folders that are empty.
func cmdRmdir(c *call) int {
	code := 0
	for _, name := range c.args[1:] {
		inside, err := c.phone.files.list(c.path(name))
		if err == nil && len(inside) > 0 {
			err = errno("Directory not empty")
		}
		if err == nil {
			err = c.phone.files.remove(c.path(name), true)
		}
		if err != nil {
			code = c.fail(1, "rmdir: '%s': %s", name, reason(err))
		}
	}
	return code
}
