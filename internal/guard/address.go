package guard

import (
	"net/netip"
	"slices"
	"strings"
)

// block is a range of addresses that are not public.
type block struct {
	prefix netip.Prefix
	why    string
}

// notPublic are the ranges of IANA's special-purpose registries that no public host has. Of IPv6 only 2000::/3 is
// assigned to hosts at all. Addresses outside of it are refused even without an entry here, which only adds a name.
var notPublic = []block{
	{netip.MustParsePrefix("0.0.0.0/32"), "the unspecified address, which is this machine"},
	{netip.MustParsePrefix("0.0.0.0/8"), "an address of this network"},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "an address of a provider's inner network (CGNAT)"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a reserved address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "an address for benchmarks"},
	{netip.MustParsePrefix("198.51.100.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("255.255.255.255/32"), "the broadcast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
	{netip.MustParsePrefix("::/128"), "the unspecified address, which is this machine"},
	{netip.MustParsePrefix("::1/128"), "a loopback address"},
	{netip.MustParsePrefix("fc00::/7"), "a private address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("fec0::/10"), "a private address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
	{netip.MustParsePrefix("2001::/23"), "a reserved address"},
	{netip.MustParsePrefix("2001:db8::/32"), "an address for documentation"},
	{netip.MustParsePrefix("3fff::/20"), "an address for documentation"},
}

// IsLoopback reports whether a host, a name or an IP address without brackets, is the machine that connects to it.
func IsLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.Unmap().IsLoopback() || addr.Unmap().IsUnspecified())
}

var publicIPv6 = netip.MustParsePrefix("2000::/3")

// metadataServices are where clouds serve information for a machine, including its credentials. One is a public
// address, others are private addresses that have no other use.
var metadataServices = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), // most clouds
	netip.MustParseAddr("169.254.169.253"), // Amazon's resolver
	netip.MustParseAddr("169.254.170.2"),   // Amazon's containers
	netip.MustParseAddr("169.254.170.23"),  // Amazon's Kubernetes
	netip.MustParseAddr("169.254.0.23"),    // Tencent
	netip.MustParseAddr("100.100.100.200"), // Alibaba
	netip.MustParseAddr("168.63.129.16"),   // Azure
	netip.MustParseAddr("192.0.0.192"),     // Oracle
	netip.MustParseAddr("fd00:ec2::254"),   // Amazon
	netip.MustParseAddr("fd00:ec2::23"),    // Amazon's Kubernetes
	netip.MustParseAddr("fd20:ce::254"),    // Google
	netip.MustParseAddr("fd00:42::42"),     // Scaleway
	netip.MustParseAddr("fe80::a9fe:a9fe"), // OpenStack
}

func metadata(addr netip.Addr) string {
	if slices.Contains(metadataServices, addr) {
		return "where clouds serve the machine's credentials"
	}
	return ""
}

// private returns why addr, which contains no other address, is not public, or "" if it is.
func private(addr netip.Addr) string {
	for _, b := range notPublic {
		if b.prefix.Contains(addr) {
			return b.why
		}
	}
	if addr.Is6() && !publicIPv6.Contains(addr) {
		return "a reserved address"
	}
	return ""
}

// carrier is a range of IPv6 addresses that contain an IPv4 address at a fixed place.
type carrier struct {
	prefix netip.Prefix
	at     int
}

var carriers = []carrier{
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // translated (SIIT)
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible, except :: and ::1
}

// carried returns the address at which a connection to addr ends: the IPv4 address within an IPv6 one, without a zone.
func carried(addr netip.Addr) netip.Addr {
	addr = addr.WithZone("").Unmap()
	if addr.Is4() || addr.IsUnspecified() || addr.IsLoopback() {
		return addr
	}
	b := addr.As16()
	for _, c := range carriers {
		if c.prefix.Contains(addr) {
			return netip.AddrFrom4([4]byte(b[c.at : c.at+4]))
		}
	}
	// ISATAP: any network, then ::5efe and the address; the u bit may be set.
	if b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe && publicIPv6.Contains(addr) {
		return netip.AddrFrom4([4]byte(b[12:16]))
	}
	return addr
}
