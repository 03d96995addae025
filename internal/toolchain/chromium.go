package toolchain

import (
	"slices"
	"strings"
)

// windowFeatures are features for which Chromium starts processes with each window, which takes longer than a test's
// page: parts of the window that are pages themselves, and a spare renderer.
var windowFeatures = []string{"WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup",
	"SpareRendererForSitePerProcess"}

// playwrightFeatures are the features that this version of Playwright disables. Chromium uses only the last such list,
// so ours must repeat them.
var playwrightFeatures = []string{"AcceptCHFrame", "AvoidUnnecessaryBeforeUnloadCheckSync",
	"DestroyProfileOnBrowserClose",
	"DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter", "PaintHolding",
	"ThirdPartyStoragePartitioning", "Translate", "AutoDeElevate", "RenderDocument", "OptimizationHints"}

// ChromiumArgs returns the arguments for every Chromium, in addition to Playwright's.
func ChromiumArgs() []string {
	return []string{"--disable-features=" + strings.Join(slices.Concat(windowFeatures, playwrightFeatures), ","),
		"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"}
}
