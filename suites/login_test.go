package suites_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner"
	. "github.com/taproot-dev/taproot/runner/matchers"
)

// These specs do in Go what android-login.yaml and web-login.yaml do, with the same devices, waits and reports.
// `ginkgo ./suites` runs them together with the YAML tests.
var _ = Describe("login in Go", func() {
	It("greets the user on a phone", Label("go", "android"), func(ctx SpecContext) {
		phone := runner.Device(ctx, runner.OnAndroid())
		phone.Launch("com.example.login")
		phone.Tap("E-mail")
		phone.Input("ada@example.com")
		phone.Tap("Password")
		phone.Input("lovelace")
		phone.Tap("Sign in", runner.Below("Login"), runner.Within(30*time.Second))
		phone.Assert("Welcome, Ada")
		Expect(phone).NotTo(Show("Wrong password"))
	})

	It("greets the user in a browser", Label("go", "web"), func(ctx SpecContext) {
		page := runner.Device(ctx, runner.OnWeb())
		page.Open("pages/login.html")
		page.Do(dsl.WebType{Selector: "#email", Text: "ada@example.com"})
		page.Do(dsl.WebType{Selector: "#password", Text: "lovelace"})
		page.Tap("Sign in")
		Eventually(page).WithTimeout(time.Minute).Should(Show("Welcome, Ada"))
	})
})
