package web

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// childVariable makes this test binary a process that opens a page and then waits to be killed.
const childVariable = "TAPROOT_TEST_WEB_CHILD"

func child() int {
	d := New(Options{})
	opened, err := d.Open(context.Background(), "web-1")
	if err == nil {
		err = opened.(*device).OpenPage(context.Background(), os.Getenv(childVariable), drivers.PageOptions{})
	}
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("open", d.launcher.Pid())
	select {} // until killed
}

func TestNoProcessOutlivesAKilledOne(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	testutil.Leave(t, "TestLostProcesses ends Playwright's process, and its browser ends with that")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+site.Page("list.html"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "open ") {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("the child says %q (%v)", line, err)
	}
	family := drivertest.Descendants(cmd.Process.Pid)
	if len(family) < 3 {
		t.Errorf("only %d processes under the child: node and Chromium's are missing", len(family))
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	var left []string
	if !until(t.Context(), patience, func() bool { left = drivertest.Alive(family); return len(left) == 0 }) {
		t.Errorf("still running after the kill: %v", left)
	}
}
