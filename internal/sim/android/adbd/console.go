package adbd

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tokenFile is where an emulator keeps the word that opens its console, below the user's home.
const tokenFile = ".emulator_console_auth_token"

// consoleWord opens every console of the simulator.
const consoleWord = "t0k3n"

// ConsolePort opens the port of a console; emulators are called by theirs.
func ConsolePort(t testing.TB) (at net.Listener, serial string) {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(at.Addr().String())
	return at, "emulator-" + port
}

// ConsoleHome makes the user's home folder with the word in it.
func ConsoleHome(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, tokenFile), []byte(consoleWord+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// ServeConsole serves until the phone is closed.
func (d *Daemon) ServeConsole(at net.Listener, home string) {
	d.Sys.Work.Run(func() {
		<-d.Sys.Ctx.Done()
		_ = at.Close()
	})
	d.Sys.Work.Run(func() {
		for {
			nc, err := at.Accept()
			if err != nil {
				return
			}
			d.Sys.Work.Run(func() { d.console(nc, home) })
		}
	})
}

// console speaks as emulator 35 does: lines end in CR LF, and nothing but help and auth is allowed before the word was
// reported.
func (d *Daemon) console(nc net.Conn, home string) {
	done := make(chan struct{})
	defer close(done)
	defer nc.Close()
	d.Sys.Work.Run(func() {
		select {
		case <-d.Sys.Ctx.Done():
			_ = nc.Close()
		case <-done:
		}
	})
	say := func(format string, args ...any) {
		_, _ = fmt.Fprintf(nc, strings.ReplaceAll(format, "\n", "\r\n"), args...)
	}
	say("Android Console: Authentication required\nAndroid Console: type 'auth <auth_token>' to authenticate\n"+
		"Android Console: you can find your <auth_token> in \n'%s'\nOK\n", filepath.Join(home, tokenFile))
	open := false
	for lines := bufio.NewScanner(nc); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if f, failed := d.Faults.Match("console "+line, true); failed {
			say("KO: %s\n", f.Output)
			continue
		}
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "auth" && words[1] == consoleWord:
			open = true
			say("Android Console: type 'help' for a list of commands\nOK\n")
		case len(words) == 2 && words[0] == "auth":
			say("KO: authentication token does not match ~/%s\n", tokenFile)
			return
		case !open:
			say("KO: unknown command, try 'help'\n")
		case line == "sensor get acceleration":
			d.Sys.Mu.Lock()
			at := d.Sys.Sensors.Acceleration
			d.Sys.Mu.Unlock()
			say("acceleration = %g:%g:%g\nOK\n", at[0], at[1], at[2])
		case len(words) == 4 && strings.HasPrefix(line, "sensor set acceleration "):
			say(d.Sys.SetAcceleration(words[3]))
		case line == "finger remove":
			say("OK\n")
		case len(words) == 3 && strings.HasPrefix(line, "finger touch "):
			say(d.Sys.TouchSensor(words[2]))
		default:
			say("KO: unknown command, try 'help'\n")
		}
	}
}
