package ios

import (
	"fmt"
	"net/url"
	"strings"
)

// addresses are those of the servers that devices have, by UDID; "" is one that names no device.
type addresses struct {
	by   map[string]string
	list []string // UDIDs in the order in which they were written
	err  error
}

// readAddresses reads "http://host:8100", or "UDID=http://host:8100,UDID=…".
func readAddresses(text string) addresses {
	a := addresses{by: map[string]string{}}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		udid, address := "", part
		if id, rest, named := strings.Cut(part, "="); named && !strings.Contains(id, "/") {
			udid, address = strings.TrimSpace(id), strings.TrimSpace(rest)
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			a.err = fmt.Errorf("%q is not an address: write http://HOST:8100, or UDID=http://HOST:8100,UDID=http://HOST:8101",
				part)
			return a
		}
		if _, twice := a.by[udid]; !twice {
			a.list = append(a.list, udid)
		}
		a.by[udid] = strings.TrimRight(address, "/")
	}
	return a
}

// onPort returns the address of another port of the same machine.
func onPort(address, port string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return "http://" + host + ":" + port
}
