package toolchain

import (
	"slices"
	"strings"
)

// windowFeatures are what Chromium starts processes for with each window, which take longer than a test's page: parts
// of the window that are pages themselves, and a renderer in reserve.
var windowFeatures = []string{"WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup",
	"SpareRendererForSitePerProcess"}

// playwrightFeatures are what this version of Playwright switches off. Chromium heeds the last list that it is given,
// so ours names them again.
var playwrightFeatures = []string{"AcceptCHFrame", "AvoidUnnecessaryBeforeUnloadCheckSync",
	"DestroyProfileOnBrowserClose",
	"DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter", "PaintHolding",
	"ThirdPartyStoragePartitioning", "Translate", "AutoDeElevate", "RenderDocument", "OptimizationHints"}

// ChromiumArgs are the arguments that every Chromium is started with, beside Playwright's.
func ChromiumArgs() []string {
	return []string{"--disable-features=" + strings.Join(slices.Concat(windowFeatures, playwrightFeatures), ","),
		"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"}
}
