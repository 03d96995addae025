// Package gosuite is a suite of a user, which cli's tests run under Ginkgo. A name without _test.go lets their own program be the suite's.
package gosuite

import (
	"context"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner"
	. "github.com/taproot-dev/taproot/runner/matchers"
)

func TestSuite(t *testing.T) { runner.RunSuites(t, ".") }

const app = "com.example.list"

// greet is a helper of a user: failures are told at its caller.
func greet(ctx SpecContext, d *runner.TestDevice) {
	GinkgoHelper()
	d.Assert("Payments")
}

var _ = Describe("go", func() {
	It("passes", Label("passes"), func(ctx SpecContext) {
		d := runner.Device(ctx)
		d.Launch(app)
		greet(ctx, d)
		_, err := d.Try(dsl.Assert{Selector: dsl.Selector{Label: "Nowhere"}}, runner.Within(time.Millisecond))
		Expect(err).To(MatchError(ContainSubstring("Nowhere")))
		Expect(d.Do(dsl.CopyText{Selector: dsl.Selector{Label: "Payments"}}, runner.Named("read it"))).To(Equal("Payments"))
		Eventually(d).Should(HaveElement(dsl.Selector{Label: "Payments"}))
		Expect(d).NotTo(Show("Nowhere"))
	})
	It("fails in a step", Label("step"), func(ctx SpecContext) {
		d := runner.Device(ctx)
		d.Launch(app)
		d.Do(dsl.Assert{Selector: dsl.Selector{Label: "Paymants"}}, runner.Within(time.Millisecond)) // step
		d.Tap("Payments")
	})
	It("fails in an expectation", Label("expect"), func(ctx SpecContext) {
		d := runner.Device(ctx)
		d.Launch(app)
		DeferCleanup(func(ctx SpecContext) { d.Do(dsl.Press{Keys: []string{"home"}}) })
		Eventually(d).WithTimeout(time.Second).Should(Show("Paymants")) // expect
	})
	It("panics", Label("panics"), func(ctx SpecContext) {
		d := runner.Device(ctx)
		d.Launch(app)
		panic("boom")
	})
	It("times out", Label("timeout"), SpecTimeout(12*time.Second), func(ctx SpecContext) {
		d := runner.Device(ctx)
		d.Launch(app)
		d.Do(dsl.Assert{Selector: dsl.Selector{Label: "Nowhere"}}, runner.Within(time.Minute))
	})
	It("skips", Label("skips"), func(ctx SpecContext) {
		runner.Device(ctx)
		Skip("not today")
	})
	It("is no action", Label("wrong"), func(ctx SpecContext) {
		runner.Device(ctx).Do(dsl.Tap{})
	})
	It("is for a page", Label("wrong"), func(ctx SpecContext) {
		runner.Device(ctx).Open("page.html")
	})
	It("waits in a step", Label("lost-step"), func(ctx SpecContext) {
		d := runner.Device(ctx)
		d.Launch(app)
		d.Do(dsl.Assert{Selector: dsl.Selector{Label: "Nowhere"}}, runner.Within(time.Minute))
	})
	It("waits in an expectation", Label("lost-expect"), func(ctx SpecContext) {
		d := runner.Device(ctx)
		d.Launch(app)
		d.Do(dsl.Log{Message: "here"})
		Eventually(d).WithTimeout(time.Minute).Should(Show("Nowhere"))
	})
	It("has two", Label("two"), func(ctx SpecContext) {
		one, two := runner.Device(ctx), runner.Device(ctx)
		Expect(one.Info().ID).NotTo(Equal(two.Info().ID))
		one.Launch(app)
		two.Launch(app)
		two.Assert("Payments")
	})
	It("hides", Label("hides"), func(ctx SpecContext) {
		d := runner.Device(ctx, runner.Hiding("hunter2"))
		d.Launch("com.example.login")
		d.Tap("E-mail")
		d.Input("hunter2")
		d.Assert("hunter2")
	})
	flaky := 0
	It("passes at last", Label("flaky"), FlakeAttempts(3), func(ctx SpecContext) {
		d := runner.Device(ctx)
		d.Launch(app)
		flaky++
		Expect(flaky).To(Equal(2))
	})
	for i, text := range []string{"Payments", "Nowhere"} {
		within := []time.Duration{time.Minute, time.Second}[i]
		It("has a namesake", Label("twins"), func(ctx SpecContext) {
			d := runner.Device(ctx)
			d.Launch(app)
			d.Do(dsl.Assert{Selector: dsl.Selector{Label: text}}, runner.Within(within))
		})
	}
	It("needs another device", Label("need"), func(ctx SpecContext) {
		runner.Device(ctx, runner.Needing(dsl.Need{Model: "Nokia 3310"}))
	})
	Context("with a BeforeEach", func() {
		var d *runner.TestDevice
		BeforeEach(func(ctx SpecContext) { d = runner.Device(ctx) })
		AfterEach(func(ctx SpecContext) { d.Assert("Payments") })
		It("has it", Label("each"), func(ctx SpecContext) { d.Launch(app) })
	})
	Context("in order", Ordered, ContinueOnFailure, func() {
		var d *runner.TestDevice
		BeforeAll(func(ctx SpecContext) { d = runner.Device(ctx) })
		It("fails first", Label("ordered"), func(ctx SpecContext) { Expect(1).To(Equal(2)) })
		It("passes then", Label("ordered"), func(ctx SpecContext) { d.Launch(app) })
	})
})

var _ = It("yaml-1", Label("clash"), func(ctx SpecContext) { runner.Device(ctx) })

// PayArgs are the parameters of pay.
type PayArgs struct {
	Amount float64      `required:"true" doc:"in euros"`
	Card   string       `enum:"visa,amex" default:"visa"`
	To     dsl.Selector `doc:"who is paid"`
	Notes  []string
}

// pay is an own action for the YAML tests of the suite.
var _ = runner.Action("pay", func(_ context.Context, d *runner.TestDevice, in PayArgs) error {
	if in.Amount > 100 {
		return fmt.Errorf("%v is too much", in.Amount)
	}
	d.Do(dsl.Assert{Selector: in.To})
	d.Do(dsl.Log{Message: fmt.Sprintf("paid %v by %s: %v", in.Amount, in.Card, in.Notes)})
	return nil
})

var _ = It("leases several", Label("several"), func(ctx SpecContext) {
	devices, err := runner.Devices(ctx, map[string]runner.Need{"alice": {}, "carol": {Platform: dsl.Android}})
	Expect(err).NotTo(HaveOccurred())
	Expect(devices["alice"].Info().ID).NotTo(Equal(devices["carol"].Info().ID))
	devices["carol"].Launch(app)
	devices["carol"].Assert("Payments")
	devices["alice"].Launch(app)
})

var _ = It("leases what is not there", Label("missing"), func(ctx SpecContext) {
	_, err := runner.Devices(ctx, map[string]runner.Need{"dora": {Need: dsl.Need{Model: "Nokia 3310"}}, "alice": {}})
	Expect(err).NotTo(HaveOccurred())
})

var _ = It("names no devices", Label("unnamed"), func(ctx SpecContext) {
	_, err := runner.Devices(ctx, nil)
	Expect(err).To(MatchError(ContainSubstring("needs the names of devices")))
	_, err = runner.Devices(ctx, map[string]runner.Need{"alice": {Platform: "palm"}})
	Expect(err).To(MatchError(ContainSubstring("alice: platform \"palm\" is not known")))
})
