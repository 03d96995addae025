// Package androidsim is a simulated Android phone that adb can connect to: it draws its screens, responds to shell
// commands with the output and the failures of real phones, and can be made to fail.
//
// A Phone is reached in two ways. NewServer speaks adb's host protocol itself, for fast tests without adb. ListenADBD
// speaks the protocol of the phone's own daemon, so that a real adb server connects to it; StartADB provides a test
// with such a server on a free port, and RunLab keeps phones connected for people.
//
// The phone has a launcher and two apps. com.example.login loads for a while, takes ada@example.com with the password
// lovelace, and says "Wrong e-mail or password" to all others. com.example.list is a long list; its first rows open the
// pages on which tools tap the wrong thing: Payments ("Pay" comes later than "Payment history"), Overlay (a banner is
// over "Behind"), Moving, Twice, Dialog, Animation (never idle) and Form (the keyboard covers "Save").
//
// More pages of com.example.list are opened by their names (.MenuActivity) or by links (menu://open): Menu, Suggest and
// Dropdown open windows of their own; HeadsUp, Call and Bubble get a foreign window over them; Toast, Secure and
// Splash show what no tree has, or hide what it has; Layers, Nested, Twins, Switches, LongRoot, Clipped and Order lay
// elements over, into and next to each other; Jumps, Shift and Ticker move; Fields has hints that resemble texts; Crash
// breaks in the ways in which apps do. Options say how trees are written, how the phone is locked, and how fast its
// connection is.
//
// Times are short unless Options ask for real ones. What a view tree shows and what a screenshot shows always agree,
// since both are made from one model at one instant. Fail arms faults; a uiautomator that crashed, for example, is
//
//	phone.Fail(androidsim.Fault{Match: "uiautomator", Nth: 1, Kind: androidsim.Error})
//
// A test may install apps of its own: an APK is any file that starts with "PK\x03\x04" and has a line "package=NAME";
// with a line "fail=INSTALL_FAILED_…" the phone refuses it in these words. com.example.list/.GesturesActivity says
// which gesture it saw.
//
// InstallWebView installs an app with a screen that is a WebView with a page of a real Chromium, which the test starts
// (chromiumtest.DevTools):
//
//	shop := androidsim.WebView{DevTools: chromium.Start(t), URL: "http://127.0.0.1:4711/shop"}
//	phone.InstallWebView("com.example.hybrid", "Shop", shop)
//
// The page is drawn in the view's bounds with the phone's pixel ratio; touches, swipes, pinches and keys go to it; a
// page without a viewport tag is laid out 980 CSS pixels wide. Its DevTools are behind the abstract socket
// webview_devtools_remote_PID (/proc/net/unix, adb's localabstract: service) with the lists of Android and WebSockets
// that lead to Chromium. The page lives as long as the activity, the socket as long as the process, cookies and storage
// until pm clear. WebView says what is amiss with the lists; HangWebView and Crash make the page loop and the process
// die; faults of the service act on its sockets:
//
//	// the second connection closes in the middle of a response
//	phone.Fail(androidsim.Fault{Match: "localabstract:webview", Nth: 2, Kind: androidsim.Cut, Bytes: 300})
//
// Two such apps listen side by side, also while one of them is in the background.
package androidsim
