package guard

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
)

func TestPolicy(t *testing.T) {
	for address, why := range map[string]string{
		"93.184.216.34": "", "1.1.1.1": "", "8.8.8.8": "", "100.63.255.255": "", "100.128.0.0": "", "172.15.255.255": "",
		"172.32.0.0":      "",
		"169.253.255.255": "", "192.167.255.255": "", "223.255.255.255": "", "198.17.255.255": "", "11.0.0.1": "",
		"128.0.0.1":          "",
		"2606:2800:220:1::1": "", "2a00:1450:4001::8a": "", "::ffff:93.184.216.34": "", "64:ff9b::5db8:d822": "",
		"2002:5db8:d822::1": "",

		"127.0.0.1": "loopback", "127.255.255.254": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "loopback",
		"::127.0.0.1":        "loopback",
		"::ffff:0:127.0.0.1": "loopback", "64:ff9b::7f00:1": "loopback", "2002:7f00:1::": "loopback",
		"2001:4860::5efe:127.0.0.1":    "loopback",
		"2001:4860::200:5efe:10.0.0.1": "private",
		"0.0.0.0":                      "this machine", "::": "this machine", "::ffff:0.0.0.0": "this machine",
		"64:ff9b::": "this machine",
		"0.1.2.3":   "this network", "10.0.0.1": "private", "10.255.255.255": "private", "172.16.0.1": "private",
		"172.31.255.255": "private",
		"192.168.1.1":    "private", "::ffff:192.168.1.1": "private", "64:ff9b::c0a8:101": "private",
		"2002:c0a8:101::5": "private",
		"fc00::1":          "private", "fd12:3456::1": "private", "fec0::1": "private", "fe80::1": "link-local",
		"fe80::1%eth0": "link-local",
		"100.64.0.1":   "CGNAT", "100.127.255.255": "CGNAT", "169.254.1.1": "link-local", "2002:6440:1::": "CGNAT",
		"224.0.0.1": "multicast", "239.255.255.255": "multicast", "ff02::1": "multicast", "255.255.255.255": "broadcast",
		"240.0.0.1": "reserved",
		"192.0.0.1": "reserved", "192.0.2.1": "documentation", "198.18.0.1": "benchmarks", "198.51.100.7": "documentation",
		"203.0.113.7": "documentation", "192.88.99.1": "reserved", "2001::1": "reserved",
		"2001:0:4136:e378:8000:63bf:3fff:fdd2": "reserved",
		"2001:db8::1":                          "documentation", "3fff::1": "documentation", "64:ff9b:1::1": "reserved",
		"100::1":  "reserved",
		"5f00::1": "reserved",
		"4000::1": "reserved", "::2": "this network", "1::1": "reserved",

		"169.254.169.254": "credentials", "::ffff:169.254.169.254": "credentials", "64:ff9b::a9fe:a9fe": "credentials",
		"2002:a9fe:a9fe::1": "credentials", "100.100.100.200": "credentials", "168.63.129.16": "credentials",
		"fd00:ec2::254": "credentials",
		"169.254.170.2": "credentials", "192.0.0.192": "credentials", "fe80::a9fe:a9fe%eth0": "credentials",
	} {
		addr := netip.MustParseAddr(address)
		err := Policy{}.Check(addr)
		var refused *RefusedError
		switch {
		case why == "" && err != nil:
			t.Errorf("%s: %v", address, err)
		case why != "" && (!errors.As(err, &refused) || !strings.Contains(refused.Why, why) || refused.Addr != addr):
			t.Errorf("%s: %v, which does not contain %q", address, err, why)
		}
		private := Policy{AllowPrivate: true}.Check(addr)
		if (private != nil) != (why == "credentials") {
			t.Errorf("%s, private ones allowed: %v", address, private)
		}
		if err := Open().Check(addr); err != nil {
			t.Errorf("%s, all allowed: %v", address, err)
		}
	}
	for _, p := range []Policy{{}, {AllowPrivate: true}, {AllowMetadata: true}} {
		if err := p.Check(netip.Addr{}); err == nil && !p.AllowPrivate {
			t.Errorf("%+v allows an invalid address", p)
		}
	}
}

func TestRefusedError(t *testing.T) {
	addr := netip.MustParseAddr("10.1.2.3")
	for _, c := range []struct {
		err  RefusedError
		want string
	}{
		{RefusedError{Host: "intranet.example", Addr: addr, Why: "a private address"},
			"intranet.example (10.1.2.3) may not be reached: it is a private address; --allow-private allows it"},
		{RefusedError{Host: "10.1.2.3", Addr: addr, Why: "a private address"},
			"10.1.2.3 may not be reached: it is a private address; --allow-private allows it"},
		{RefusedError{Addr: addr, Why: "a trap", Metadata: true}, "10.1.2.3 may not be reached: it is a trap"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%s, not %s", got, c.want)
		}
	}
}

// FuzzPolicy checks that no spelling of an address bypasses the policy: what Go itself calls private, and every way to
// embed it, is refused.
func FuzzPolicy(f *testing.F) {
	for _, seed := range []string{"127.0.0.1", "10.9.8.7", "169.254.169.254", "192.168.0.1", "8.8.8.8", "0.0.0.0",
		"224.1.1.1"} {
		b := netip.MustParseAddr(seed).As4()
		f.Add(b[:])
	}
	f.Add([]byte(net.ParseIP("fe80::1").To16()))
	f.Fuzz(func(t *testing.T, data []byte) {
		addr, ok := netip.AddrFromSlice(data)
		if !ok {
			return
		}
		plain := addr.Unmap()
		inner := plain.IsPrivate() || plain.IsLoopback() || plain.IsLinkLocalUnicast() || plain.IsMulticast() ||
			plain.IsUnspecified()
		err := Policy{}.Check(addr)
		if inner && err == nil {
			t.Fatalf("%s is allowed", addr)
		}
		if !plain.Is4() {
			return
		}
		b := plain.As4()
		for name, carrying := range map[string]netip.Addr{
			"mapped": netip.AddrFrom16(plain.As16()),
			"NAT64":  netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b, 12: b[0], b[1], b[2], b[3]}),
			"6to4":   netip.AddrFrom16([16]byte{0x20, 0x02, b[0], b[1], b[2], b[3], 15: 1}),
			"SIIT":   netip.AddrFrom16([16]byte{8: 0xff, 0xff, 12: b[0], b[1], b[2], b[3]}),
		} {
			if carried := (Policy{}).Check(carrying); (carried == nil) != (err == nil) {
				t.Fatalf("%s is %v, %s as %s is %v", addr, err, name, carrying, carried)
			}
		}
	})
}

// TestIsLoopback: names that only look like this machine are others.
func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "LOCALHOST.": true, "127.0.0.1": true, "127.8.9.1": true,
		"::1": true, "::ffff:127.0.0.1": true, "0.0.0.0": true, "": false, "localhost.example": false, "10.0.0.1": false,
		"127.0.0.1.example": false, "app.localhost": false, "fe80::1": false} {
		if got := IsLoopback(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
