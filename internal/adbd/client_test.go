package adbd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

// TestServeClient: a client of another machine gets the services of the one device, whatever it calls it, and nothing
// else of the machine.
func TestServeClient(t *testing.T) {
	device := Device{Features: []string{"shell_v2", "cmd"}, Open: func(name string) (io.ReadWriteCloser, error) {
		if name == "gone:" {
			return nil, errors.New("device 'SIM1' not found")
		}
		return echo(name)
	}}
	count := func(s string) string { return fmt.Sprintf("%04x%s", len(s), s) }
	for _, c := range []struct {
		requests []string
		want     string // the beginning of what comes
	}{
		{[]string{count("host-serial:SIM1@east:features")}, "OKAY000cshell_v2,cmd"},
		{[]string{count("host-serial:emulator-5554:get-state")}, "OKAY0006device"},
		{[]string{count("host:transport:x"), count("shell:cat"), "hello"}, "OKAYOKAYhello"},
		{[]string{count("host:transport:x"), count("gone:")}, "OKAYFAIL0017device 'SIM1' not found"},
		{[]string{count("host:transport:x"), count("reverse:forward:tcp:1;tcp:2")}, "OKAYFAIL"},
		{[]string{count("host:transport:x"), count("root:")}, "OKAYFAIL"},
		{[]string{count("host:devices-l")}, "FAIL"},
		{[]string{count("host:kill")}, "FAIL"},
		{[]string{count("host-serial:x:forward:tcp:1;tcp:2")}, "FAIL"},
		{[]string{count("host:transport-any")}, "FAIL"},
		{[]string{"zzzz"}, ""},
		{[]string{"GET / HTTP/1.1\r\n\r\n"}, ""},
		{[]string{"00"}, ""},
	} {
		near, far := net.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- ServeClient(far, device) }()
		_ = near.SetDeadline(time.Now().Add(time.Minute))
		go func() {
			for _, r := range c.requests {
				if _, err := io.WriteString(near, r); err != nil {
					return
				}
			}
			if c.want == "" {
				_ = near.Close()
			}
		}()
		got := make([]byte, len(c.want))
		if _, err := io.ReadFull(near, got); string(got) != c.want {
			t.Errorf("%q: %q %v, want %q", c.requests, got, err, c.want)
		}
		_ = near.Close()
		<-ended
	}
}
