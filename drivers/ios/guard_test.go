package ios

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
)

// childVariable names a device: it makes this test binary a process that records it and reads its log until it is
// killed.
const childVariable = "TAPROOT_TEST_IOS_CHILD"

func child() int {
	ctx := context.Background()
	dev, err := New(Options{NotesDir: os.TempDir()}).Open(ctx, os.Getenv(childVariable))
	if err == nil {
		_, err = dev.(drivers.Recorder).StartRecording(ctx, os.Getenv("HOME"))
	}
	if err == nil {
		_, err = dev.(drivers.Logger).StartLog(ctx, io.Discard)
	}
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("open")
	select {} // until killed
}

func TestNoProgramOutlivesAKilledProcess(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]iossim.DeviceOptions{"a simulator": small(iossim.DeviceOptions{}),
		"an iPhone": small(iossim.DeviceOptions{Phone: true})} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{o}})
			cmd := exec.Command(os.Args[0])
			cmd.Env = b.lab.Environ(b.bin, childVariable+"="+b.lab.Device(0).UDID())
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || !strings.HasPrefix(line, "open") {
				t.Errorf("the child says %q (%v)", line, err)
			}
			if running := b.lab.Running(); len(running) < 3 {
				t.Errorf("only %q run", running)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for len(b.lab.Running()) > 0 {
				if drivers.Pause(ctx, 20*time.Millisecond) != nil {
					t.Fatalf("still running after the kill: %q", b.lab.Running())
				}
			}
			if b.lab.Device(0).AgentRuns() {
				t.Error("its WebDriverAgent runs on")
			}
		})
	}
}
