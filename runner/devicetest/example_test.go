package devicetest_test

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/devicetest"
	"github.com/taproot-dev/taproot/runner/matchers"
)

// ExampleNew: a test has a browser page of its own until it ends.
func ExampleNew() {
	_ = func(t *testing.T) { // TestLogin
		page := devicetest.New(t, devicetest.OnWeb())
		page.Open("pages/login.html") // next to this file
		page.Tap("Sign in", devicetest.Below("Login"), devicetest.Within(30*time.Second))
		page.Assert("Welcome, Ada")
	}
}

// ExampleDevice_Do shows that Do takes any action of package dsl; Try returns its error.
func ExampleDevice_Do() {
	_ = func(t *testing.T) {
		phone := devicetest.New(t, devicetest.OnAndroid())
		phone.Launch("com.example.notes")
		phone.Do(dsl.LongPress{Selector: dsl.Selector{Label: "Groceries"}}, devicetest.Named("select the note"))
		total := phone.Do(dsl.CopyText{Selector: dsl.Selector{Label: "Total"}})
		if _, err := phone.Try(dsl.Tap{Selector: dsl.Selector{Label: "Undo"}}); err != nil {
			t.Logf("there is nothing to undo, the total is %v", total)
		}
	}
}

// ExampleDevice_Look: gomega's Eventually waits until the screen shows something.
func ExampleDevice_Look() {
	_ = func(t *testing.T) {
		page := devicetest.New(t, devicetest.OnWeb())
		page.Open("https://example.com")
		gomega.NewWithT(t).Eventually(page).WithTimeout(time.Minute).Should(matchers.Show("Example Domain"))
	}
}
