package drivers

import (
	"net"
	"testing"
)

func TestFreePorts(t *testing.T) {
	ports, err := FreePorts(3)
	if err != nil || len(ports) != 3 {
		t.Fatalf("%q, %v", ports, err)
	}
	seen := map[string]bool{}
	for _, port := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil || seen[port] {
			t.Fatalf("%s: %v", port, err)
		}
		seen[port] = true
		defer l.Close()
	}
}
