package web

import (
	"encoding/base64"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

const clickPage = `<button id=b>Row 3</button><p id=log></p><script>
	for (const kind of ['click', 'contextmenu', 'auxclick']) b.addEventListener(kind, e => {
		e.preventDefault();
		log.textContent += ['ctrl', 'shift', 'alt', 'meta'].filter(k => e[k + 'Key']).join('+') + kind + e.button + ' ';
	});
	addEventListener('keyup', e => log.textContent += 'up-' + e.key + ' ');
</script>`

func TestClickWithModifiersAndButtons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		how  drivers.WebClick
		want string
	}{
		{drivers.WebClick{Modifiers: []string{"control"}}, "ctrlclick0 up-Control"},
		{drivers.WebClick{Modifiers: []string{"shift", "alt"}}, "shift+altclick0 up-Alt up-Shift"},
		{drivers.WebClick{Modifiers: []string{"meta"}, Count: 2}, "metaclick0 metaclick0 up-Meta"},
		{drivers.WebClick{Button: "right"}, "contextmenu2"},
		{drivers.WebClick{Button: "middle", Modifiers: []string{"shift"}}, "shiftauxclick1 up-Shift"},
	} {
		d := display(t, clickPage)
		n := byID(t, tree(t, d), "b")
		d.Aim(n)
		Must(t, d.Click(t.Context(), centre(n), c.how))
		mustShow(t, d, "#log", c.want)
	}
	d := display(t, clickPage)
	Must(t, d.ClickOn(t.Context(), target("#b"), drivers.WebClick{Modifiers: []string{"control"}}))
	mustShow(t, d, "#log", "ctrlclick0")
	WantError(t, d.Click(t.Context(), image.Pt(1, 1), drivers.WebClick{Modifiers: []string{"enter"}}),
		drivers.ErrUnsupported, `"enter"`)
	touch := reach(t, site.Made(clickPage), "")
	WantError(t, touch.Click(t.Context(), image.Pt(1, 1), drivers.WebClick{Button: "fourth"}), drivers.ErrUnsupported,
		"fourth")
}

func TestClickNeedsAMouse(t *testing.T) {
	t.Parallel()
	d := open(t)
	Must(t, d.OpenPage(t.Context(), site.Made(clickPage), drivers.PageOptions{DeviceName: "Pixel 7"}))
	WantError(t, d.Click(t.Context(), image.Pt(5, 5), drivers.WebClick{Button: "right"}), drivers.ErrUnsupported,
		"touch screen")
}

func TestSelectSeveral(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<select id=m multiple><option>Red<option>Green<option>Blue</select><select id=s><option>One<option>Two</select>
		<select id=back multiple onchange="this.options[1].selected=false"><option>Red<option>Green</select><p id=log></p>
		<script>m.onchange = () => log.textContent = [...m.selectedOptions].map(o => o.text)</script>`)
	for _, c := range []struct {
		choice drivers.WebChoice
		want   string
	}{
		{drivers.WebChoice{Labels: []string{"Red", "Blue"}}, "Red,Blue"},
		{drivers.WebChoice{Values: []string{"Green", "Red"}}, "Red,Green"},
		{drivers.WebChoice{Indexes: []int{1, 2}}, "Green,Blue"},
	} {
		Must(t, d.SelectIn(t.Context(), target("#m"), c.choice))
		mustShow(t, d, "#log", c.want)
	}
	two := drivers.WebChoice{Labels: []string{"One", "Two"}}
	WantError(t, d.SelectIn(t.Context(), soon("#s"), two), drivers.ErrNotActionable, "takes one entry, not 2")
	WantError(t, d.SelectIn(t.Context(), soon("#m"), drivers.WebChoice{Labels: []string{"Red", "Plum"}}),
		drivers.ErrNotActionable, `no option "Plum"`)
	WantError(t, d.SelectIn(t.Context(), soon("#back"), drivers.WebChoice{Labels: []string{"Red", "Green"}}),
		drivers.ErrNotActionable, "taken back")
}

func TestDropFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"one.txt", "two.txt"} {
		files = append(files, filepath.Join(dir, name))
		Must(t, os.WriteFile(files[len(files)-1], []byte("it is "+name), 0o600))
	}
	d := display(t,
		`<div style="height:1500px"></div><div id=zone style="height:80px;border:1px solid"><b>Drop here</b></div><div `+
			`id=deaf>No</div><p id=log></p><script>
		zone.addEventListener('dragover', e => e.preventDefault());
		zone.addEventListener('drop', async e => { e.preventDefault(); const l = [...e.dataTransfer.files], t = `+
			`[...e.dataTransfer.types];
			log.textContent = (await Promise.all(l.map(async f => f.name + '=' + await f.text()))).join('|') + ' ' + t; });
	</script>`)
	Must(t, d.DropFiles(t.Context(), target("#zone"), files))
	mustShow(t, d, "#log", "one.txt=it is one.txt|two.txt=it is two.txt Files")
	WantError(t, d.DropFiles(t.Context(), soon("#deaf"), files), drivers.ErrNotActionable, "takes no files", "#deaf")
	WantError(t, d.DropFiles(t.Context(), soon("#zone"), nil), drivers.ErrNotActionable, "no file was given")
	if _, title, err := d.Location(t.Context()); err != nil || title != "" {
		t.Errorf("%q, %v", title, err)
	}
}

func TestCredentialsAreForTheirSiteAlone(t *testing.T) {
	t.Parallel()
	guarded := func(name string) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			user, password, given := r.BasicAuth()
			w.Header().Set("Access-Control-Allow-Origin", "*")
			if !given {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
			}
			fmt.Fprintf(w, "<!doctype html><link rel=icon href=data:,><p id=p>%s %s</p>", name,
				base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
		}))
		t.Cleanup(server.Close)
		return server
	}
	own, other := guarded("own"), guarded("other")
	d := open(t)
	Must(t, d.OpenPage(t.Context(), own.URL, drivers.PageOptions{Username: "ada", Password: "s3cret"}))
	mustShow(t, d, "#p", "own "+base64.StdEncoding.EncodeToString([]byte("ada:s3cret")))
	Must(t, d.Navigate(t.Context(), other.URL, patience))
	mustShow(t, d, "#p", "other "+base64.StdEncoding.EncodeToString([]byte(":")))
}
