package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// cable is a connection that can be interrupted: a proxy, or the network of a namespace.
type cable interface {
	set(cut bool, ways ...int)
}

var (
	_ cable = (*proxy)(nil)
	_ cable = (*namespace)(nil)
)

// namespace is a network namespace for a process, with one connection to this machine. Wrong hardware addresses
// interrupt it: packets are lost, as on a cut cable, and TCP retransmits them.
type namespace struct {
	t      testing.TB
	name   string
	outer  string    // the card on this side
	ip     [2]string // of this side, and of that in the namespace
	card   [2]string // their addresses
	inside func(args ...string) []string
}

// namespaces reports whether this machine permits namespaces: that requires root and the program ip.
func namespaces() bool {
	name := fmt.Sprint("tpc", os.Getpid())
	if exec.Command("ip", "netns", "add", name).Run() != nil {
		return false
	}
	return exec.Command("ip", "netns", "del", name).Run() == nil
}

func newNamespace(t testing.TB, i int) *namespace {
	name := fmt.Sprintf("tpc%d-%d", os.Getpid(), i)
	net := fmt.Sprintf("10.%d.%d.", 100+os.Getpid()%100, i) // differs from other processes of this test
	n := &namespace{t: t, name: name, outer: name, ip: [2]string{net + "1", net + "2"}}
	n.inside = func(args ...string) []string { return append([]string{"-n", n.name}, args...) }
	n.run("netns", "add", n.name)
	t.Cleanup(func() { n.run("netns", "del", n.name) })
	n.run("link", "add", n.outer, "type", "veth", "peer", "name", "eth0", "netns", n.name)
	n.run("addr", "add", n.ip[0]+"/24", "dev", n.outer)
	n.run("link", "set", n.outer, "up")
	n.run(n.inside("addr", "add", n.ip[1]+"/24", "dev", "eth0")...)
	n.run(n.inside("link", "set", "eth0", "up")...)
	n.run(n.inside("link", "set", "lo", "up")...)
	n.card = [2]string{address(n.run("-br", "link", "show", n.outer)),
		address(n.run(n.inside("-br", "link", "show", "eth0")...))}
	n.set(false, forth, back)
	return n
}

func (n *namespace) run(args ...string) string {
	out, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		n.t.Errorf("ip %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// address returns the hardware address of a card: the third field of the output of ip.
func address(line string) string {
	if fields := strings.Fields(line); len(fields) > 2 {
		return fields[2]
	}
	return ""
}

func (n *namespace) set(cut bool, ways ...int) {
	for _, way := range ways {
		card, args := n.card[1], []string{"neigh", "replace", n.ip[1], "dev", n.outer}
		if way == forth { // from the process
			card, args = n.card[0], n.inside("neigh", "replace", n.ip[0], "dev", "eth0")
		}
		if cut {
			card = "02:00:00:00:00:99"
		}
		n.run(append(args, "lladdr", card, "nud", "permanent")...)
	}
}
