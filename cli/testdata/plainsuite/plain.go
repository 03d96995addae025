// Package plainsuite are tests of a user that know nothing of Ginkgo; cli's tests run them as they do those of gosuite.
package plainsuite

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner"
	"github.com/taproot-dev/taproot/runner/devicetest"
	"github.com/taproot-dev/taproot/runner/matchers"
)

const app = "com.example.list"

func TestPasses(t *testing.T) {
	d := devicetest.New(t)
	d.Launch(app)
	if _, err := d.Try(&dsl.Assert{Selector: dsl.Selector{Label: "Nowhere"}}, devicetest.Within(time.Millisecond)); err == nil {
		t.Error("Nowhere is there")
	}
	if got := d.Do(&dsl.CopyText{Selector: dsl.Selector{Label: "Payments", Enabled: dsl.Ptr(true)}}); got != "Payments" {
		t.Errorf("copied %v", got)
	}
	g := gomega.NewWithT(t)
	g.Eventually(d).Should(matchers.Show("Payments"))
	g.Expect(d).NotTo(matchers.Show("Nowhere"))
}

func TestFailsInAStep(t *testing.T) {
	d := devicetest.New(t, devicetest.OnAndroid())
	d.Launch(app)
	d.Do(dsl.Assert{Selector: dsl.Selector{Label: "Paymants"}}, devicetest.Within(time.Millisecond)) // step
	d.Tap("Payments")
}

func TestFailsBeside(t *testing.T) {
	d := devicetest.New(t)
	d.Launch(app)
	t.Error("two is not three")
}

func TestPanics(t *testing.T) {
	devicetest.New(t)
	panic("boom")
}

func TestSkips(t *testing.T) {
	devicetest.New(t)
	t.Skip("not today")
}

func TestOneAfterTheOther(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) { devicetest.New(t).Launch(app) })
	}
}

func TestAtOnce(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			devicetest.New(t).Launch(app)
		})
	}
}

func TestPage(t *testing.T) {
	page := devicetest.New(t, devicetest.OnWeb())
	page.Open("page.html")
	page.Do(dsl.WebAssert{Selector: "body"})
	page.Do(&dsl.WebAssert{Selector: "body"})
}

// TestSpecOutside calls what is for specs.
func TestSpecOutside(t *testing.T) {
	defer func() { t.Log("refused:", recover()) }()
	runner.Device(t.Context())
}
