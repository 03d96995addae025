package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	flows "github.com/taproot-dev/taproot/dsl/maestro"
)

// maestroPerformers adds the commands of flows to the table. Those that hold others are the engine's.
func maestroPerformers(table performersTable) {
	on(table, flowTap)
	on(table, flowAssert)
	on(table, flowLaunch)
	on(table, flowPermissions)
	on(table, flowStop)
	on(table, flowKill)
	on(table, flowClear)
	on(table, flowKeychain)
	on(table, flowInput)
	on(table, flowRandom)
	on(table, flowErase)
	on(table, flowCopy)
	on(table, flowClipboard)
	on(table, flowPaste)
	on(table, flowPress)
	on(table, flowHideKeyboard)
	on(table, flowSwipe)
	on(table, flowScroll)
	on(table, flowScrollUntil)
	on(table, flowOpenLink)
	on(table, flowLocation)
	on(table, flowTravel)
	on(table, flowOrientation)
	on(table, flowAirplane)
	on(table, flowDarkMode)
	on(table, flowAssertDark)
	on(table, flowAddMedia)
	on(table, flowStartRecording)
	on(table, flowStopRecording)
	on(table, flowScreenshot)
	on(table, flowAssertScreenshot)
	on(table, flowAI)
	on(table, flowSettle)
}

// lower gives the selector of a flow in the language's form.
func lower(s *flows.Selector) (dsl.Selector, error) {
	sel, err := s.Lower()
	if err != nil {
		return sel, fatal("%v", err)
	}
	return sel, nil
}

func flowTap(ctx context.Context, s *Session, a flows.Tap) error {
	t := touching{screen: a.Point, in: a.In, long: a.Touch == flows.Long, repeat: a.Repeat, pause: time.Duration(a.DelayMs) * time.Millisecond,
		retry: a.RetryUnchanged, untilVisible: a.UntilVisible, settleMs: a.SettleMs}
	if a.On != nil {
		sel, err := lower(a.On)
		if err != nil {
			return err
		}
		t.on = &sel
	}
	return s.strikeAt(ctx, t)
}

// Truth tells whether a text that a script gave counts as true.
func Truth(text string) bool {
	if strings.TrimSpace(text) == "" || strings.EqualFold(text, "false") || text == "undefined" || text == "null" {
		return false
	}
	n, err := strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(text), "fFdD"), 64)
	return err != nil || n != 0
}

func flowAssert(ctx context.Context, s *Session, a flows.Assert) error {
	if a.True != nil && !Truth(*a.True) {
		p := problem("the condition is %s, which counts as false", screen.Quote(*a.True))
		p.Assertion, p.Expected, p.Actual = true, "a condition that is true", screen.Quote(*a.True)
		return &Failure{p}
	}
	var visible, gone *dsl.Selector
	for _, side := range []struct {
		from *flows.Selector
		to   **dsl.Selector
	}{{a.Visible, &visible}, {a.NotVisible, &gone}} {
		if side.from == nil {
			continue
		}
		sel, err := lower(side.from)
		if err != nil {
			return err
		}
		*side.to = &sel
	}
	return s.finding(ctx, visible, gone, s.Timeout)
}

func (s *Session) isWeb() bool { _, web := s.Device.(drivers.Browser); return web }

func flowLaunch(ctx context.Context, s *Session, a flows.Launch) error {
	if s.isWeb() {
		return s.openURL(ctx, a.App, a.ClearState)
	}
	apps, err := able[drivers.AppManager](s)
	if err != nil {
		return err
	}
	s.tapped = nil
	if a.ClearState {
		if err := forgive(apps.ClearApp(ctx, a.App), drivers.ErrNoApp); err != nil {
			return err
		}
	}
	if a.GrantAll {
		a.Permissions = []flows.Pair{{Key: drivers.AllPermissions, Value: "allow"}}
	}
	if err := s.permit(ctx, a.App, a.Permissions); err != nil {
		return err
	}
	how := drivers.LaunchOptions{Force: !a.KeepRunning, Arguments: map[string]string{}}
	for _, arg := range a.Arguments {
		how.Arguments[arg.Key] = fmt.Sprint(arg.Value)
	}
	if len(a.Arguments) == 0 {
		err = apps.Launch(ctx, a.App, how.Force)
	} else {
		err = apps.LaunchWith(ctx, a.App, how)
	}
	if err != nil {
		return err
	}
	front, _, _ := strings.Cut(a.App, "/")
	return forgive(poll(ctx, 5*time.Second, func() error { // the app may be anywhere in Maestro; a look that comes too early is in vain
		now, err := apps.Foreground(ctx)
		if err == nil && now != front && !asksPermission(now) {
			err = errWait
		}
		return err
	}), errWait)
}

// forgive drops errors of some kinds.
func forgive(err error, kinds ...error) error {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return nil
		}
	}
	return err
}

// permissionWords are Maestro's names for permissions of Android.
func permissionWords(name string) []string {
	const p = "android.permission."
	switch name {
	case "bluetooth":
		return []string{p + "BLUETOOTH_CONNECT", p + "BLUETOOTH_SCAN"}
	case "calendar":
		return []string{p + "WRITE_CALENDAR", p + "READ_CALENDAR"}
	case "camera":
		return []string{p + "CAMERA"}
	case "contacts":
		return []string{p + "READ_CONTACTS", p + "WRITE_CONTACTS"}
	case "location":
		return []string{p + "ACCESS_FINE_LOCATION", p + "ACCESS_COARSE_LOCATION"}
	case "medialibrary":
		return []string{p + "WRITE_EXTERNAL_STORAGE", p + "READ_EXTERNAL_STORAGE", p + "READ_MEDIA_AUDIO", p + "READ_MEDIA_IMAGES", p + "READ_MEDIA_VIDEO"}
	case "microphone":
		return []string{p + "RECORD_AUDIO"}
	case "notifications":
		return []string{p + "POST_NOTIFICATIONS"}
	case "phone":
		return []string{p + "CALL_PHONE", p + "ANSWER_PHONE_CALLS"}
	case "sms":
		return []string{p + "READ_SMS", p + "RECEIVE_SMS", p + "SEND_SMS"}
	case "storage":
		return []string{p + "WRITE_EXTERNAL_STORAGE", p + "READ_EXTERNAL_STORAGE"}
	}
	return []string{name}
}

// permit sets permissions: all first, then by name. What cannot be set is left as it is.
func (s *Session) permit(ctx context.Context, app string, list []flows.Pair) error {
	apps, err := able[drivers.AppManager](s)
	if err != nil {
		return err
	}
	set := func(name, value string) error {
		allowed := value == "allow" || s.Platform == dsl.IOS && value != "deny" && value != "unset" && value != "never"
		err := apps.SetPermissions(ctx, app, map[string]bool{name: allowed})
		if err != nil && (drivers.AppIsWrong(err) || errors.Is(err, drivers.ErrUnsupported)) {
			s.note("the permission %s was left as it is: %v", name, err)
			return nil
		}
		return err
	}
	for _, p := range list {
		if p.Key == drivers.AllPermissions {
			if err := set(p.Key, p.Value); err != nil {
				return err
			}
		}
	}
	for _, p := range list {
		names := []string{p.Key}
		if s.Platform == dsl.Android {
			names = permissionWords(p.Key)
		}
		for _, name := range names {
			if name == drivers.AllPermissions {
				continue
			}
			if err := set(name, p.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func flowPermissions(ctx context.Context, s *Session, a flows.SetPermissions) error {
	if s.isWeb() {
		return nil
	}
	return s.permit(ctx, a.App, a.Permissions)
}

func flowStop(ctx context.Context, s *Session, a flows.Stop) error {
	if s.isWeb() {
		return nil
	}
	return onApps(s, func(d drivers.AppManager) error { return forgive(d.Stop(ctx, a.App), drivers.ErrNoApp) })
}

func flowKill(ctx context.Context, s *Session, a flows.Kill) error {
	if s.isWeb() {
		return nil
	}
	return forgive(kill(ctx, s, dsl.Kill{Package: a.App}), drivers.ErrNoApp)
}

func flowClear(ctx context.Context, s *Session, a flows.Clear) error {
	if s.isWeb() {
		if !s.paged {
			return nil
		}
		return s.openURL(ctx, a.App, true)
	}
	err := onApps(s, func(d drivers.AppManager) error { return forgive(d.ClearApp(ctx, a.App), drivers.ErrNoApp) })
	if err != nil {
		return err
	}
	return s.permit(ctx, a.App, []flows.Pair{{Key: drivers.AllPermissions, Value: "unset"}})
}

func flowKeychain(_ context.Context, s *Session, _ flows.ClearKeychain) error {
	if s.Platform == dsl.IOS {
		s.doubt("the keychain was not cleared: this driver cannot")
	}
	return nil
}

// enterText types where the focus is, and looks at nothing.
func (s *Session) enterText(ctx context.Context, text string) error {
	s.tapped = nil
	if s.isWeb() {
		if done, err := s.fillDate(ctx, text); err != nil || done {
			return err
		}
		err := s.Device.Type(ctx, text)
		if drivers.AppIsWrong(err) {
			s.note("nothing took the text: %v", err)
			return nil
		}
		return err
	}
	if s.Platform == dsl.Android && strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		text = strings.NewReplacer("\n", "", "\t", "", "\r", "").Replace(text)
	}
	if text == "" {
		return nil
	}
	return s.Device.Type(ctx, text)
}

// fillDate gives a date field of a page its value.
func (s *Session) fillDate(ctx context.Context, text string) (bool, error) {
	done, err := s.onPage(ctx, fmt.Sprintf(`(() => {
	const e = document.activeElement
	if (!e || e.tagName !== 'INPUT' || e.type !== 'date') return false
	const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
	set.call(e, %s)
	if (e.value === '') return false
	e.dispatchEvent(new Event('input', { bubbles: true }))
	e.dispatchEvent(new Event('change', { bubbles: true }))
	return true
})()`, strconv.Quote(text)))
	return done == true, err
}

func flowInput(ctx context.Context, s *Session, a flows.Input) error {
	if err := s.enterText(ctx, a.Text); err != nil {
		return err
	}
	return Settle(ctx, s, nil)
}

func flowRandom(ctx context.Context, s *Session, a flows.Random) error {
	text := s.randomText(a.Kind, a.Length)
	s.Value = text
	s.note("typed %s", screen.Quote(text))
	return flowInput(ctx, s, flows.Input{Text: text})
}

func flowErase(ctx context.Context, s *Session, a flows.Erase) error {
	d, err := able[drivers.Editor](s)
	if err != nil {
		return err
	}
	s.tapped = nil
	if a.Count > 0 {
		if err := d.Erase(ctx, a.Count); err != nil && !(s.isWeb() && drivers.AppIsWrong(err)) {
			return err
		}
	}
	return Settle(ctx, s, nil)
}

func flowCopy(ctx context.Context, s *Session, a flows.Copy) error {
	sel, err := lower(a.From)
	if err != nil {
		return err
	}
	_, n, err := s.want(ctx, sel)
	if err != nil {
		return err
	}
	for _, text := range []*string{n.Text, n.Hint} {
		if text != nil && *text != "" {
			s.Copied, s.Value = text, *text
			return nil
		}
	}
	if n.Desc == nil {
		return &Failure{problem("%s has no text to copy", called(n))}
	}
	s.Copied, s.Value = n.Desc, *n.Desc
	return nil
}

func flowClipboard(_ context.Context, s *Session, a flows.SetClipboard) error {
	s.Copied = &a.Text
	return nil
}

func flowPaste(ctx context.Context, s *Session, _ flows.Paste) error {
	if s.Copied == nil {
		return nil
	}
	return flowInput(ctx, s, flows.Input{Text: *s.Copied})
}

// flowKeys are the drivers' names for the keys of flows, where they differ. Tab is Space on Android, as it is in Maestro.
func flowKeys(name string, p dsl.Platform) string {
	if p == dsl.Android && name == "tab" {
		return "space"
	}
	own := map[string]string{"volume up": "volumeUp", "volume down": "volumeDown", "remote dpad up": "up", "remote dpad down": "down",
		"remote dpad left": "left", "remote dpad right": "right", "remote dpad center": "select", "remote media play pause": "playPause",
		"remote media stop": "mediaStop", "remote media next": "mediaNext", "remote media previous": "mediaPrevious", "remote media rewind": "rewind",
		"remote media fast forward": "fastForward", "remote system navigation up": "navigateUp", "remote system navigation down": "navigateDown",
		"remote button a": "buttonA", "remote button b": "buttonB", "remote menu": "menu", "tv input": "tvInput", "tv input hdmi 1": "hdmi1",
		"tv input hdmi 2": "hdmi2", "tv input hdmi 3": "hdmi3"}
	if key, known := own[name]; known {
		return key
	}
	return name
}

func flowPress(ctx context.Context, s *Session, a flows.Press) error {
	d, err := able[drivers.Keys](s)
	if err != nil {
		return err
	}
	s.tapped = nil
	switch {
	case s.isWeb() && a.Key != "enter" && a.Key != "backspace" && !a.Back:
		return fatal("the key %q is not one that Maestro presses on pages: enter and backspace are", a.Key)
	case s.Platform == dsl.IOS && !slices.Contains([]string{"enter", "backspace", "home", "lock"}, a.Key):
		s.note("the key %s does nothing on iOS", a.Key)
		return nil
	}
	if err := d.Press(ctx, []string{flowKeys(a.Key, s.Platform)}); err != nil {
		if s.isWeb() && drivers.AppIsWrong(err) { // a browser without history, a page without focus
			s.note("nothing took the key: %v", err)
			return nil
		}
		return err
	}
	return Settle(ctx, s, nil)
}

func flowHideKeyboard(ctx context.Context, s *Session, a flows.HideKeyboard) error {
	switch {
	case s.isWeb():
		return nil
	case s.Platform == dsl.IOS:
		return hideKeyboard(ctx, s, dsl.HideKeyboard{})
	}
	d, err := able[drivers.Keys](s)
	if err != nil {
		return err
	}
	s.tapped = nil
	if err := d.Press(ctx, []string{"back"}); err != nil {
		return err
	}
	s.note("hideKeyboard sends Back, with or without a keyboard, as in Maestro")
	if err := Settle(ctx, s, nil); err != nil {
		return err
	}
	if k, ok := s.Device.(drivers.Keyboard); ok {
		shown, err := k.KeyboardShown(ctx)
		if err != nil {
			return err
		}
		if shown {
			return &Failure{problem("the keyboard is still on the screen")}
		}
	}
	return nil
}

// screenSize is that of the screen as it is held now.
func (s *Session) screenSize(ctx context.Context) (image.Point, error) {
	v, err := s.survey(ctx, nil)
	if err != nil {
		return image.Point{}, err
	}
	return v.size, nil
}

func part(n int, f float32) int { return int(float32(n) * f) }

// flowStroke is how a finger goes over the whole screen.
func flowStroke(d dsl.Direction, size image.Point) (from, to image.Point) {
	w, h := size.X, size.Y
	switch d {
	case dsl.Up:
		return image.Pt(part(w, 0.5), part(h, 0.5)), image.Pt(part(w, 0.5), part(h, 0.1))
	case dsl.Down:
		return image.Pt(part(w, 0.5), part(h, 0.2)), image.Pt(part(w, 0.5), part(h, 0.9))
	case dsl.Left:
		return image.Pt(part(w, 0.9), part(h, 0.5)), image.Pt(part(w, 0.1), part(h, 0.5))
	}
	return image.Pt(part(w, 0.1), part(h, 0.5)), image.Pt(part(w, 0.9), part(h, 0.5))
}

// flowStrokeFrom is how it goes from a place to the edge.
func flowStrokeFrom(from image.Point, d dsl.Direction, size image.Point) image.Point {
	switch d {
	case dsl.Up:
		return image.Pt(from.X, part(size.Y, 0.1))
	case dsl.Down:
		return image.Pt(from.X, part(size.Y, 0.9))
	case dsl.Left:
		return image.Pt(part(size.X, 0.1), from.Y)
	}
	return image.Pt(part(size.X, 0.9), from.Y)
}

// drawnTo moves a finger and waits until the screen rests.
func (s *Session) drawnTo(ctx context.Context, from, to image.Point, ms int, settleMs *int) error {
	if err := move(ctx, s, from, to, time.Duration(max(ms, 1))*time.Millisecond); err != nil {
		return err
	}
	return Settle(ctx, s, settleMs)
}

// scrollPage moves the window of a page by half of its size.
func (s *Session) scrollPage(ctx context.Context, d dsl.Direction, settleMs *int) error {
	by := map[dsl.Direction]string{dsl.Up: "0, Math.round(innerHeight / 2)", dsl.Down: "0, -Math.round(innerHeight / 2)",
		dsl.Left: "Math.round(innerWidth / 2), 0", dsl.Right: "-Math.round(innerWidth / 2), 0"}[d]
	if _, err := s.onPage(ctx, "(() => { const by = ["+by+"]; window.scrollBy({ left: by[0], top: by[1], behavior: 'instant' }); return true })()"); err != nil {
		return err
	}
	return Settle(ctx, s, settleMs)
}

func flowSwipe(ctx context.Context, s *Session, a flows.Swipe) error {
	if a.Start != "" {
		size, err := s.screenSize(ctx)
		if err != nil {
			return err
		}
		from, err := onScreen(a.Start, size)
		if err != nil {
			return err
		}
		to, err := onScreen(a.End, size)
		if err != nil {
			return err
		}
		return s.drawnTo(ctx, from, to, a.Ms, a.SettleMs)
	}
	if a.From == nil {
		if s.isWeb() {
			return s.scrollPage(ctx, a.Direction, a.SettleMs)
		}
		size, err := s.screenSize(ctx)
		if err != nil {
			return err
		}
		from, to := flowStroke(a.Direction, size)
		return s.drawnTo(ctx, from, to, a.Ms, a.SettleMs)
	}
	sel, err := lower(a.From)
	if err != nil {
		return err
	}
	v, n, err := s.want(ctx, sel)
	if err != nil {
		return err
	}
	from := n.Centre()
	if a.In != "" {
		if from, err = inElement(n, a.In); err != nil {
			return err
		}
	}
	if s.isWeb() {
		return s.scrollPage(ctx, a.Direction, a.SettleMs)
	}
	return s.drawnTo(ctx, from, flowStrokeFrom(from, a.Direction, v.size), a.Ms, a.SettleMs)
}

func flowScroll(ctx context.Context, s *Session, _ flows.Scroll) error {
	return flowSwipe(ctx, s, flows.Swipe{Direction: dsl.Up, Ms: 400})
}

// Milliseconds reads a time as Maestro does: whole, with underscores.
func Milliseconds(text string) (time.Duration, error) {
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil {
		return 0, &Failure{problem("the timeout %q is not a number of milliseconds", text)}
	}
	return time.Duration(n) * time.Millisecond, nil
}

func flowScrollUntil(ctx context.Context, s *Session, a flows.ScrollUntil) error {
	sel, err := lower(a.To)
	if err != nil {
		return err
	}
	limit, err := Milliseconds(a.Timeout)
	if err != nil {
		return err
	}
	if limit < 0 {
		limit = 20 * time.Second
	}
	speed, err := strconv.Atoi(a.Speed)
	if err != nil {
		return fatal("the speed %q is not a whole number", a.Speed)
	}
	ms := (100-speed)*10 + 1
	if ms < 0 {
		ms = 40
	}
	enough := 0.0
	if a.Percent >= 100 {
		enough = 1
	}
	return s.untilSeen(ctx, sel, untilSeen{a.Direction, limit, enough, ms, a.Centre, a.SettleMs})
}

// untilSeen is how an element is scrolled to.
type untilSeen struct {
	direction dsl.Direction
	limit     time.Duration
	enough    float64 // of the element
	ms        int     // of one movement
	centre    bool
	settleMs  *int
}

func (s *Session) untilSeen(ctx context.Context, sel dsl.Selector, how untilSeen) error {
	opposite := map[dsl.Direction]dsl.Direction{"": dsl.Up, dsl.Down: dsl.Up, dsl.Up: dsl.Down, dsl.Left: dsl.Right, dsl.Right: dsl.Left}[how.direction]
	deadline, centred := time.Now().Add(how.limit), 0
	for {
		v, n, err := s.first(ctx, sel, goneLook)
		if err != nil && !errors.Is(err, drivers.ErrNotReady) {
			return err
		}
		if n != nil {
			s.meets(n)
			seen := n.Visible(v.size)
			switch {
			case how.centre && seen > 0.1 && centred <= 4:
				if nearCentre(n.Centre(), opposite, v.size) {
					return nil
				}
				centred++
			case seen >= how.enough:
				return nil
			}
		}
		if err := s.fromCentre(ctx, opposite, how.ms, how.settleMs); err != nil {
			return err
		}
		if !time.Now().Before(deadline) {
			if v == nil {
				return err
			}
			return s.absent(v, sel, how.limit)
		}
	}
}

func (s *Session) fromCentre(ctx context.Context, d dsl.Direction, ms int, settleMs *int) error {
	if s.isWeb() {
		return s.scrollPage(ctx, d, settleMs)
	}
	size, err := s.screenSize(ctx)
	if err != nil {
		return err
	}
	centre := image.Pt(size.X/2, size.Y/2)
	return s.drawnTo(ctx, centre, flowStrokeFrom(centre, d, size), ms, settleMs)
}

// nearCentre tells whether an element has come as far as the middle, a fifth of the screen aside.
func nearCentre(p image.Point, d dsl.Direction, size image.Point) bool {
	switch d {
	case dsl.Right:
		return p.X > size.X/2-size.X/5
	case dsl.Left:
		return p.X < size.X/2+size.X/5
	case dsl.Up:
		return p.Y < size.Y/2+size.Y/5
	}
	return p.Y > size.Y/2-size.Y/5
}

func flowOpenLink(ctx context.Context, s *Session, a flows.OpenLink) error {
	if s.isWeb() {
		if !strings.HasPrefix(a.Link, "http") {
			a.Link = "https://" + a.Link
		}
		return s.openURL(ctx, a.Link, false)
	}
	if err := s.mayOpen(ctx, a.Link); err != nil {
		return err
	}
	if a.AutoVerify {
		s.note("autoVerify: questions of the system are left to the flow")
	}
	if err := onApps(s, func(d drivers.AppManager) error { return d.OpenLink(ctx, a.Link, "") }); err != nil {
		return err
	}
	return Settle(ctx, s, nil)
}

func flowLocation(ctx context.Context, s *Session, a flows.Location) error {
	for _, text := range []string{a.Latitude, a.Longitude} {
		if _, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
			return fatal("%q is not a number of degrees", text)
		}
	}
	return location(ctx, s, dsl.Location{At: strings.TrimSpace(a.Latitude) + "," + strings.TrimSpace(a.Longitude)})
}

// legs is in how many steps a way between two places is gone.
const legs = 50

func flowTravel(ctx context.Context, s *Session, a flows.Travel) error {
	d, err := able[drivers.Locator](s)
	if err != nil || len(a.Points) == 0 {
		return err
	}
	at := placeOf(a.Points[0], 0)
	if err := d.SetLocation(ctx, at); err != nil {
		return err
	}
	for _, text := range a.Points[1:] {
		to := placeOf(text, 0)
		pause := time.Duration(0)
		if a.Speed > 0 {
			pause = time.Duration(metres(at, to) / a.Speed / legs * float64(time.Second))
		}
		for i := 1; i <= legs; i++ {
			if err := d.SetLocation(ctx, between(at, to, float64(i)/legs)); err != nil {
				return err
			}
			if err := drivers.Pause(ctx, pause); err != nil {
				return err
			}
		}
		at = to
	}
	return nil
}

func flowOrientation(ctx context.Context, s *Session, a flows.Orientation) error {
	name := flows.OrientationOf(a.To)
	if name == "" {
		return &Failure{problem("there is no orientation %q", a.To)}
	}
	if s.isWeb() {
		return nil
	}
	quarters := slices.Index(flows.Orientations(), name)
	if t, ok := s.Device.(drivers.Turner); ok {
		if err := t.Turn(ctx, quarters); err != nil {
			return err
		}
		return Settle(ctx, s, nil)
	}
	if err := onSystem(s, func(d drivers.System) error { return d.Rotate(ctx, quarters%2 == 1) }); err != nil {
		return err
	}
	return Settle(ctx, s, nil)
}

func flowAirplane(ctx context.Context, s *Session, a flows.Airplane) error {
	if s.Platform != dsl.Android {
		s.note("airplane mode is Android's")
		return nil
	}
	return onSystem(s, func(d drivers.System) error {
		on := a.Set == flows.On
		if a.Set == flows.Toggle {
			said, _, err := d.Shell(ctx, "settings get global airplane_mode_on")
			if err != nil {
				return err
			}
			on = strings.TrimSpace(said) != "1"
		}
		return d.Airplane(ctx, on)
	})
}

// dark tells whether the device uses its dark appearance.
func (s *Session) dark(ctx context.Context) (bool, error) {
	if s.isWeb() {
		on, err := s.onPage(ctx, "matchMedia('(prefers-color-scheme: dark)').matches")
		return on == true, err
	}
	if s.Platform != dsl.Android {
		if s.darkened != nil {
			return *s.darkened, nil
		}
		return false, fmt.Errorf("device %s does not tell its appearance: %w", s.Device.Info().ID, drivers.ErrUnsupported)
	}
	said := ""
	err := onSystem(s, func(d drivers.System) (err error) {
		said, _, err = d.Shell(ctx, "cmd uimode night")
		return err
	})
	return strings.Contains(said, "yes"), err
}

func flowDarkMode(ctx context.Context, s *Session, a flows.DarkMode) error {
	on := a.Set == flows.On
	if a.Set == flows.Toggle {
		now, err := s.dark(ctx)
		if err != nil {
			return err
		}
		on = !now
	}
	if err := darkMode(ctx, s, dsl.DarkMode{On: on}); err != nil {
		return err
	}
	s.darkened = &on
	return nil
}

func flowAssertDark(ctx context.Context, s *Session, a flows.AssertDark) error {
	now, err := s.dark(ctx)
	if err != nil || now == a.Dark {
		return err
	}
	names := map[bool]string{true: "dark", false: "light"}
	p := problem("the appearance is %s, not %s", names[now], names[a.Dark])
	p.Assertion, p.Expected, p.Actual = true, names[a.Dark]+" mode", names[now]+" mode"
	return &Failure{p}
}

func flowAddMedia(ctx context.Context, s *Session, a flows.AddMedia) error {
	if s.isWeb() {
		return nil
	}
	d, err := able[drivers.MediaAdder](s)
	if err != nil {
		return err
	}
	for _, name := range a.Files {
		path, err := s.flowFile(name)
		if err != nil {
			return err
		}
		if err := d.AddMedia(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

func flowAI(ctx context.Context, s *Session, a flows.AI) error {
	var err error
	switch a.Kind {
	case "extract":
		err = extract(ctx, s, dsl.Extract{Prompt: a.Text})
	case "defects":
		err = assertVisual(ctx, s, dsl.AssertVisual{Prompt: "The screen has no visible defects: no text that is cut off or lies over other text, no element that is cut off or out of place", Votes: 1})
	default:
		err = assertVisual(ctx, s, dsl.AssertVisual{Prompt: a.Text, Votes: 1})
	}
	var blind *VisionError
	if errors.As(err, &blind) { // Maestro warns, too, when it has no key
		return &Failure{problem("%v", err)}
	}
	return err
}

// resting is how much of two pictures may differ on a screen that rests.
const resting = 0.005

func flowSettle(ctx context.Context, s *Session, a flows.Settle) error {
	limit := 15 * time.Second
	if a.Timeout != nil {
		given, err := Milliseconds(*a.Timeout)
		if err != nil {
			return err
		}
		limit = given
	}
	for deadline := time.Now().Add(limit); ; {
		before, err := s.Device.Screenshot(ctx)
		if err != nil {
			return err
		}
		after, err := s.Device.Screenshot(ctx)
		if err != nil {
			return err
		}
		if before.Bounds() == after.Bounds() && 1-equalPart(before, after) <= resting {
			return nil
		}
		if !time.Now().Before(deadline) {
			s.note("the screen still moved after %s, which Maestro does not mind", limit)
			return nil
		}
		if err := drivers.Pause(ctx, maestroLook); err != nil {
			return err
		}
	}
}
