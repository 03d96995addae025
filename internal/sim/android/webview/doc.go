// Package webview has the WebViews of a simulated phone: pages of a real Chromium, which the phone shows and touches.
package webview
