package shell

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

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
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	l, verb, name := &c.sys.Location, args[1], args[2]
	if !l.Allowed {
		return c.exception(
			"java.lang.SecurityException: com.android.shell from uid 2000 not allowed to perform "+
				"MOCK_LOCATION", "location", "providers")
	}
	switch verb {
	case "add-test-provider":
		l.Providers[name] = true
		return 0
	case "remove-test-provider":
		delete(l.Providers, name)
		delete(l.Places, name)
		return 0
	}
	if !l.Providers[name] {
		return c.exception(fmt.Sprintf("java.lang.IllegalArgumentException: %s provider is not a test provider", name),
			"location", "providers")
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
		c.sys.Location.Places[name] = [2]float64{latitude, longitude}
		return 0
	}
	return c.exception("java.lang.IllegalArgumentException: Option \"--location\" is required", "location", "providers")
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
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
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
		if c.sys.Prof.API >= 30 && options["--method"] == "scan_file" {
			c.sys.Scan(options["--arg"])
		}
		c.printf("Result: null\n")
	case "query":
		id, ok := c.sys.Media[where]
		if !ok {
			c.printf("No result found.\n")
			break
		}
		c.printf("Row: 0 _id=%d\n", id)
	case "delete":
		delete(c.sys.Media, where)
	default:
		return c.fail(1, "[ERROR] Unsupported command: %s", verb)
	}
	return 0
}
