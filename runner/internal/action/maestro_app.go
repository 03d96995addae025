package action

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/maestro"
	flows "github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

func (s maestroPerformer) isWeb() bool { _, web := s.Device.(drivers.Browser); return web }

func flowLaunch(ctx context.Context, s maestroPerformer, a flows.Launch) error {
	if s.isWeb() {
		return s.openURL(ctx, a.App, a.ClearState)
	}
	apps, err := capability[drivers.AppManager](s.Performer)
	if err != nil {
		return err
	}
	s.tapped = nil
	if a.ClearState {
		if err := ignoring(apps.ClearApp(ctx, appOf(a.App)), drivers.ErrNoApp); err != nil {
			return err
		}
	}
	if a.ClearKeychain {
		if err := s.forgetSecrets(ctx); err != nil {
			return err
		}
	}
	if a.GrantAll {
		a.Permissions = []flows.Pair{{Key: drivers.AllPermissions, Value: "allow"}}
	}
	if err := s.permit(ctx, appOf(a.App), a.Permissions); err != nil {
		return err
	}
	s.Uses.started(a.App)
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
	front := appOf(a.App)
	// the app may be anywhere in Maestro; a read that comes too early is in vain
	return ignoring(poll(ctx, maestroLaunchLimit, func() error {
		now, err := apps.Foreground(ctx)
		if err == nil && now != front && !asksPermission(now) {
			err = errWait
		}
		return err
	}), errWait)
}

// appOf is the app of an appId that names one of its activities: "com.example.app/.Settings".
func appOf(appID string) string {
	app, _, _ := strings.Cut(appID, "/")
	return app
}

// ignoring drops errors of some kinds.
func ignoring(err error, kinds ...error) error {
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
		return []string{p + "WRITE_EXTERNAL_STORAGE", p + "READ_EXTERNAL_STORAGE", p + "READ_MEDIA_AUDIO",
			p + "READ_MEDIA_IMAGES", p + "READ_MEDIA_VIDEO"}
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
func (s maestroPerformer) permit(ctx context.Context, app string, list []flows.Pair) error {
	apps, err := capability[drivers.AppManager](s.Performer)
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

func flowPermissions(ctx context.Context, s maestroPerformer, a flows.SetPermissions) error {
	if s.isWeb() {
		return nil
	}
	return s.permit(ctx, appOf(a.App), a.Permissions)
}

func flowStop(ctx context.Context, s maestroPerformer, a flows.Stop) error {
	if s.isWeb() {
		return nil
	}
	return onApps(s.Performer, func(d drivers.AppManager) error {
		return ignoring(d.Stop(ctx, appOf(a.App)), drivers.ErrNoApp)
	})
}

func flowKill(ctx context.Context, s maestroPerformer, a flows.Kill) error {
	if s.isWeb() {
		return nil
	}
	return ignoring(killApp(ctx, s.Performer, dsl.KillApp{Package: appOf(a.App)}), drivers.ErrNoApp)
}

func flowClear(ctx context.Context, s maestroPerformer, a flows.Clear) error {
	if s.isWeb() {
		if !s.flow.paged {
			return nil
		}
		return s.openURL(ctx, a.App, true)
	}
	err := onApps(s.Performer, func(d drivers.AppManager) error {
		return ignoring(d.ClearApp(ctx, appOf(a.App)), drivers.ErrNoApp)
	})
	if err != nil {
		return err
	}
	return s.permit(ctx, appOf(a.App), []flows.Pair{{Key: drivers.AllPermissions, Value: "unset"}})
}

func flowKeychain(ctx context.Context, s maestroPerformer, _ flows.ClearKeychain) error {
	return s.forgetSecrets(ctx)
}

// forgetSecrets empties the keychain, which Android has none of.
func (s maestroPerformer) forgetSecrets(ctx context.Context) error {
	k, ok := s.Device.(drivers.KeychainClearer)
	if !ok {
		return nil
	}
	err := k.ClearKeychain(ctx)
	if errors.Is(err, drivers.ErrUnsupported) {
		s.warn("the keychain was not cleared: %v", err)
		return nil
	}
	return err
}

// maestroPage returns the elements of a page as Maestro sees them.
//
//go:embed maestro_page.js
var maestroPage string

// domNode is an element of a page as maestroPage returns it.
type domNode struct {
	Text     string          `json:"t"`
	ID       *string         `json:"i"`
	Box      [4]int          `json:"b"`
	Selected *bool           `json:"s"`
	Option   bool            `json:"o"`
	Styles   map[string]bool `json:"c"`
	Children []domNode       `json:"n"`
}

func (d domNode) node() *maestro.Node {
	text := d.Text
	n := &maestro.Node{Text: &text, ID: d.ID, Bounds: image.Rect(0, 0, 0, 0), Bounded: true, Anywhere: d.Option,
		Styles: d.Styles}
	n.Bounds = image.Rectangle{Min: image.Pt(d.Box[0], d.Box[1]), Max: image.Pt(d.Box[2], d.Box[3])}
	for _, c := range d.Children {
		n.Children = append(n.Children, c.node())
	}
	return n
}

var errNoPage = errors.New("no page is open: start the flow with launchApp")

// readPageForMaestro reads the elements of the page.
func (s maestroPerformer) readPageForMaestro(ctx context.Context, css []string) (*maestroScreen, error) {
	if !s.flow.paged {
		return nil, &Failure{problem("%v", errNoPage)}
	}
	if css == nil {
		css = []string{}
	}
	list, err := json.Marshal(css)
	if err != nil {
		return nil, err
	}
	value, err := s.onPage(ctx, "("+maestroPage+")("+string(list)+")")
	if err != nil {
		return nil, err
	}
	text, _ := value.(string)
	var page struct {
		Width   int      `json:"w"`
		Height  int      `json:"h"`
		Loading bool     `json:"l"`
		Root    *domNode `json:"r"`
	}
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		return nil, fmt.Errorf("%w: the page cannot be read: %w", drivers.ErrNotReady, err)
	}
	size, root := image.Pt(page.Width, page.Height), &maestro.Node{}
	if page.Root != nil {
		root = page.Root.node()
	}
	root = root.Within(size)
	root.Loading = page.Loading
	return &maestroScreen{root, size}, s.saw(ctx, nil)
}

// onPage runs a script in the page.
func (s maestroPerformer) onPage(ctx context.Context, script string) (any, error) {
	pages, err := capability[drivers.WebPages](s.Performer)
	if err != nil {
		return nil, err
	}
	value, err := pages.Eval(ctx, script, pageLimit)
	var wrong *drivers.ScriptError
	if errors.As(err, &wrong) { // the page went away under it
		return nil, fmt.Errorf("%w: %w", drivers.ErrNotReady, err)
	}
	return value, err
}

// chooseOption takes an option of the list that has the focus.
func (s maestroPerformer) chooseOption(ctx context.Context, p image.Point) error {
	_, err := s.onPage(ctx, fmt.Sprintf(`(() => {
	const list = document.activeElement
	const option = list && list.children && Array.from(list.querySelectorAll('option'))
		.find(o => Array.from(o.parentElement.children).indexOf(o) === %d)
	if (!option) return false
	option.selected = true
	list.dispatchEvent(new Event('change', { bubbles: true }))
	list.blur()
	return true
})()`, (p.Y-syntheticAt)/20))
	return err
}

// maestroView is the size of the window in which Maestro opens pages without a screen.
var maestroView = image.Pt(1024, 768)

// openURL shows a page: in a fresh browser the first time, and when its data shall go.
func (s maestroPerformer) openURL(ctx context.Context, address string, fresh bool) error {
	b, err := s.browser()
	if err != nil {
		return err
	}
	if err := s.mayOpen(ctx, address); err != nil {
		return err
	}
	s.tapped = nil
	if n, is := s.Device.(drivers.Navigator); is && s.flow.paged && !fresh {
		return n.Navigate(ctx, address, DefaultTimeout)
	}
	opts := drivers.PageOptions{Headed: s.Headed, Viewport: maestroView, Timeout: maestroOpenLimit}
	if err := b.OpenPage(ctx, address, opts); err != nil {
		return err
	}
	s.flow.paged = true
	noteAnswer(s.Performer)
	return nil
}
