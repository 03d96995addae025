package remote

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// shownCapabilities are those of which messages may show the values: others may hold secrets.
var shownCapabilities = []string{"browserName", "browserVersion", "platformName", "platformVersion", "deviceName",
	"automationName", "udid", "os", "osVersion"}

// unmatched adds to the error of a session that the server does not open the capabilities that its message is about,
// otherwise all that may be shown.
func unmatched(err error, capabilities map[string]any) error {
	var said *webdriver.Error
	if !errors.As(err, &said) || said.Code == webdriver.Refused {
		return err
	}
	if strings.Contains(said.Message, "Invalid Host header") {
		host, _, failed := net.SplitHostPort(said.Host)
		if failed != nil {
			host = said.Host
		}
		return fmt.Errorf("%w: start geckodriver with --allow-hosts %s", err, host)
	}
	all := flat(capabilities)
	var named, shown []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		bare := name[strings.LastIndexAny(name, ":.")+1:]
		text := name
		if slices.Contains(shownCapabilities, bare) {
			text = fmt.Sprintf("%s: %v", name, all[name])
			shown = append(shown, text)
		}
		value, is := all[name].(string)
		if containsWord(said.Message, bare) || is && slices.Contains(shownCapabilities, bare) &&
			containsWord(said.Message, value) {
			named = append(named, text)
		}
	}
	if len(named) == 0 {
		named = shown
	}
	if len(named) == 0 {
		return err
	}
	return fmt.Errorf("%w (capabilities under remotes: %s)", err, strings.Join(named, ", "))
}

// flat has the options of vendors among the capabilities.
func flat(capabilities map[string]any) map[string]any {
	all := map[string]any{}
	for name, value := range capabilities {
		own, is := value.(map[string]any)
		if !is {
			all[name] = value
			continue
		}
		for option, value := range own {
			all[name+"."+option] = value
		}
	}
	return all
}

// containsWord reports whether a text has a word, in any case, that is not a part of another one.
func containsWord(text, word string) bool {
	text, word = strings.ToLower(text), strings.ToLower(word)
	for from := 0; len(word) > 1; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(word)
		if (i == 0 || !isWord(text[i-1])) && (from == len(text) || !isWord(text[from])) {
			return true
		}
	}
	return false
}

func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z'
}

// WithoutChromedriver explains the error of an Appium server, by the name of the remote, that lacks the driver for some
// pages of a phone. Other errors stay as they are.
func WithoutChromedriver(err error, remote, pages string) error {
	var said *webdriver.Error
	if !errors.As(err, &said) || !strings.Contains(strings.ToLower(said.Message), "chromedriver") {
		return err
	}
	return fmt.Errorf("%w: the Appium server of the remote %s has no chromedriver that fits %s: install one there and "+
		"name it under capabilities (\"appium:chromedriverExecutable\"), or start the server with --allow-insecure "+
		"uiautomator2:chromedriver_autodownload: %w", drivers.ErrUnsupported, remote, pages, err)
}
