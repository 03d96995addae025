package mailboxtest_test

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/mailbox/mailboxtest"
)

// TestEndsWithItsTest kills a process that has started the server, and checks that the server ends, too.
func TestEndsWithItsTest(t *testing.T) {
	if os.Getenv("MAILBOXTEST_CHILD") != "" {
		s := mailboxtest.New(t)
		os.Stdout.WriteString("\nport " + s.Plain + "\n")
		select {}
	}
	child := exec.Command(os.Args[0], "-test.run=^TestEndsWithItsTest$", "-test.v")
	child.Env = append(os.Environ(), "MAILBOXTEST_CHILD=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	address, text := "", ""
	for in := bufio.NewScanner(out); address == "" && in.Scan(); {
		address, _ = strings.CutPrefix(in.Text(), "port ")
		if address == in.Text() {
			address = ""
		}
		text += in.Text() + "\n"
	}
	_ = child.Process.Kill()
	_ = child.Wait() // it was killed
	if strings.Contains(text, "SKIP") {
		t.Skip(text)
	}
	if address == "" {
		t.Fatalf("no server: %s", text)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		_ = conn.Close()
		if time.Now().After(deadline) {
			t.Fatal("the server runs on")
		}
	}
}
