package androidsim

import (
	"fmt"
	"strconv"
	"strings"
)

// mockLocation is what the shell has set as the phone's place. Phone.mu guards it.
type mockLocation struct {
	allowed   bool                  // to the shell
	providers map[string]bool       // test providers
	places    map[string][2]float64 // by provider: latitude and longitude
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
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	l, verb, name := &c.sys.location, args[1], args[2]
	if !l.allowed {
		return c.exception(
			"java.lang.SecurityException: com.android.shell from uid 2000 not allowed to perform "+
				"MOCK_LOCATION", "location", "providers")
	}
	switch verb {
	case "add-test-provider":
		l.providers[name] = true
		return 0
	case "remove-test-provider":
		delete(l.providers, name)
		delete(l.places, name)
		return 0
	}
	if !l.providers[name] {
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
		c.sys.location.places[name] = [2]float64{latitude, longitude}
		return 0
	}
	return c.exception("java.lang.IllegalArgumentException: Option \"--location\" is required", "location", "providers")
}
