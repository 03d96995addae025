// Package runner runs tests on phones and in browsers from Go: YAML files as specs of Ginkgo, and tests in Go, each on
// a leased device with its own report pack.
//
// # YAML tests
//
// One function next to the YAML files runs all of them, by go test or by ginkgo:
//
//	func TestSuites(t *testing.T) { runner.RunSuites(t, ".") }
//
// # Specs of Ginkgo
//
// Device waits for a free device and releases it when the spec ends. The package of the spec calls RunSuites, or
// Describe:
//
//	It("greets the user", func(ctx SpecContext) {
//		page := runner.Device(ctx, runner.OnWeb())
//		page.Open("pages/login.html")
//		page.Tap("E-mail")
//		page.Input("ada@example.com")
//		page.Tap("Sign in", runner.Below("Login"), runner.Within(30*time.Second))
//		Eventually(page).Should(Show("Welcome, Ada")) // package matchers
//	})
//
// Each call is a step: it waits as the YAML step does, has a screenshot in the report, and ends the test when it fails.
// Options of a step come last. Below, Above, LeftOf, RightOf, Near, Inside and First say which of several elements is
// meant; Within is the limit, Named the name in the report.
//
// Do takes any action of package dsl as its struct, and returns what the step option as: would save:
//
//	price := page.Do(dsl.CopyText{Selector: dsl.Selector{TestID: "price"}})
//
// Try returns an error instead of ending the test. Every call uses the context of the test; TapContext, DoContext and
// the others take another one.
//
// # Tests of package testing
//
// Package devicetest has the same devices, options and steps for tests without Ginkgo:
//
//	func TestLogin(t *testing.T) {
//		phone := devicetest.New(t, devicetest.OnAndroid(), devicetest.Hiding("lovelace"))
//		phone.Launch("com.example.login")
//		phone.Assert("Welcome, Ada")
//	}
//
// # Results
//
// A test has the result Pass or Fail, or Error when the device is to blame: a lost device never looks like an app that
// is wrong. The run folder has a report of each test, whatever its result.
package runner
