package apps

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// slowReports are those of an iPhone that go-ios copies slowly, as on a busy machine; the first copy comes before the
// report is written.
type slowReports struct {
	file   string
	copies int
}

func (s *slowReports) CrashReports(ctx context.Context, _ string) ([]string, func(), error) {
	if s.copies++; s.copies == 1 {
		return nil, func() {}, drivers.Pause(ctx, time.Second)
	}
	if err := drivers.Pause(ctx, 3*phoneReports); err != nil {
		return nil, nil, err
	}
	return []string{s.file}, func() {}, nil
}

// TestReportThatIsCopiedSlowly: it was abandoned in the middle, and the report did not say why the app had died.
func TestReportThatIsCopiedSlowly(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "List.ips")
	synctest.Test(t, func(t *testing.T) {
		if err := os.WriteFile(file, []byte(`{"bundleID":"com.example.list","timestamp":"`+
			time.Now().Format("2006-01-02 15:04:05.00 -0700")+`"}`+"\n"+`{"exception":{"type":"EXC_CRASH","signal":"SIGABRT"}}`),
			0o600); err != nil {
			t.Fatal(err)
		}
		life := drivers.NewLifetime()
		defer life.End()
		w := NewWatch(&wda.Link{Life: life}, &slowReports{file: file}, false, "")
		if c := w.reportOfPhone(t.Context(), watched{bundle: "com.example.list", at: time.Now()}); c == nil ||
			c.Reason != "EXC_CRASH SIGABRT" {
			t.Errorf("%+v", c)
		}
	})
}

// An uncaught exception, in the words of macOS's report.
func TestCrashReportOfAnException(t *testing.T) {
	t.Parallel()
	c := parseReport([]byte(`{"app_name":"List","bundleID":"com.example.list"}` + "\n" +
		`{"exception":{"type":"EXC_CRASH","signal":"SIGABRT"},"exceptionReason":{"name":"NSRangeException",` +
		`"composed_message":"index 5 beyond bounds"}}`))
	if c == nil || c.Kind != drivers.CrashException || c.Reason != "NSRangeException: index 5 beyond bounds" {
		t.Errorf("%+v", c)
	}
	for _, text := range []string{"", "{}", "{}\n{}", `{"bundleID":"a.b"}` + "\n" + `{"cut`} {
		if c := parseReport([]byte(text)); c != nil {
			t.Errorf("%q is a crash: %+v", text, c)
		}
	}
}

func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"bundleID":"com.example.list"}` + "\n" + `{"exception":{"type":"EXC_CRASH"}}`))
	f.Fuzz(func(_ *testing.T, data []byte) { parseReport(data) })
}
