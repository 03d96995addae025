package android

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/apkfile"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

const shop = "com.example.shop"

// part is an APK of the shop; "" is its base.
func part(split string) []byte {
	return apkfile.Build(apkfile.Facts{Package: shop, Split: split, VersionName: "1.0", VersionCode: 7})
}

func folderOf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func archiveOf(t *testing.T, name string, method uint16, files map[string][]byte) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for entry, data := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: entry, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folderOf(t, map[string][]byte{name: out.Bytes()}), name)
}

func TestInstallFolderOfAPKs(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, map[string][]byte{
		"base.apk": part(""), "split_config.xhdpi.apk": part("config.xhdpi"), "config en;reboot.apk": part("config.en"),
		"notes.txt": nil,
	})
	for _, old := range []bool{false, true} {
		d, p := openPhone(t, androidsim.Options{NoCmd: old})
		for range 2 { // over itself too
			var done, total int64
			err := d.InstallWatched(t.Context(), dir, func(n, of int64) { done, total = n, of })
			if err != nil || done != total || total == 0 {
				t.Fatalf("without cmd %t: %v, %d of %d bytes", old, err, done, total)
			}
		}
		if got := p.Splits(shop); !slices.Equal(got, []string{"config.en", "config.xhdpi"}) || p.InstallSessions() != 0 {
			t.Errorf("without cmd %t: parts %q, %d sessions", old, got, p.InstallSessions())
		}
	}
}

func TestInstallArchiveOfAPKs(t *testing.T) {
	t.Parallel()
	splits := map[string][]byte{
		"toc.pb": nil, "splits/base-master.apk": part(""), "splits/base-master_2.apk": part(""),
		"standalones/standalone-x86.apk": part(""),
		"splits/base-arm64_v8a.apk":      part("config.arm64_v8a"), "splits/base-armeabi_v7a.apk": part("config.armeabi_v7a"),
		"splits/base-x86_64.apk": part("config.x86_64"), "splits/base-mdpi.apk": part("config.mdpi"),
		"splits/base-xhdpi.apk":   part("config.xhdpi"),
		"splits/base-xxxhdpi.apk": part("config.xxxhdpi"), "splits/base-de.apk": part("config.de"),
		"splits/base-fil.apk":      part("config.fil"),
		"splits/camera-master.apk": part("camera"), "splits/camera-mdpi.apk": part("camera.config.mdpi"),
		"splits/later-master.apk": apkfile.Build(apkfile.Facts{Package: shop, Split: "later", OnDemand: true}),
		"splits/later-astc.apk":   apkfile.Build(apkfile.Facts{Package: shop, Split: "later.config.astc"}),
	}
	fitting := []string{"camera", "camera.config.mdpi", "config.arm64_v8a", "config.de", "config.fil", "config.xxxhdpi"}
	universal := map[string][]byte{"universal.apk": part(""), "splits/base-master.apk": []byte("no APK")}
	plain := map[string][]byte{"manifest.json": nil, shop + ".apk": part(""), "config.de.apk": part("config.de"),
		"config.x86.apk":         part("config.x86"),
		"config.armeabi_v7a.apk": part("config.armeabi_v7a")}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		for name, c := range map[string]struct {
			files map[string][]byte
			want  []string
		}{
			"app.apks": {splits, fitting}, "all.APKS": {universal, nil},
			"app.xapk": {plain, []string{"config.armeabi_v7a", "config.de"}},
			"app.apkm": {plain, []string{"config.armeabi_v7a", "config.de"}},
		} {
			d, p := openPhone(t, androidsim.Options{Density: 420})
			err := d.Install(t.Context(), archiveOf(t, name, method, c.files))
			if got := p.Splits(shop); err != nil || !slices.Contains(p.Packages(), shop) || !slices.Equal(got, c.want) {
				t.Errorf("%s, method %d: parts %q, %v", name, method, got, err)
			}
		}
	}
}

// TestAppsInPartsRefused: what is not an app in parts, or one that cannot be chosen from, is named before anything is
// sent.
func TestAppsInPartsRefused(t *testing.T) {
	t.Parallel()
	type files = map[string][]byte
	other := apkfile.Build(apkfile.Facts{Package: "com.example.other", Split: "config.de", VersionCode: 7})
	newer := apkfile.Build(apkfile.Facts{Package: shop, Split: "config.de", VersionCode: 8})
	some := apkfile.Build(apkfile.Facts{Package: shop, Split: "some", VersionCode: 7, Conditional: true})
	d, p := openPhone(t, androidsim.Options{})
	p.Fail(androidsim.Fault{Match: "install-", Kind: androidsim.Refuse})
	for path, want := range map[string]string{
		folderOf(t, files{"app.aab": nil}) + "/app.aab":                    "--mode=universal",
		folderOf(t, files{"app.apkm": []byte("PK\x03\x04")}) + "/app.apkm": "--mode=universal",
		folderOf(t, files{
			"a.txt": nil}): "folder without an APK",
		folderOf(t, files{"a.apk": part("config.de")}): "not its base",
		folderOf(t, files{"a.apk": part(""),
			"b.apk": part("")}): "a.apk and b.apk are both the app's base",
		folderOf(t, files{"a.apk": part(""), "b.apk": part("x"), "c.apk": part("x")}): "both the part x",
		folderOf(t, files{"a.apk": part(""), "b.apk": other}):                         "com.example.other",
		folderOf(t, files{"a.apk": part(""),
			"b.apk": newer}): "of version 7, and b.apk of 8",
		folderOf(t, files{"a.apk": part(""), "b.apk": []byte("PK")}): "b.apk is not an APK",
		archiveOf(t, "1.apks", zip.Store,
			files{"toc.pb": nil}): "neither universal.apk",
		archiveOf(t, "2.apks", zip.Store, files{"a.apk": part(""), "b.apk": other}): "com.example.other",
		archiveOf(t, "3.apks", zip.Store,
			files{"a.apk": part(""), "b.apk": part("config.x86")}): "native code is for x86",
		archiveOf(t, "4.apks", zip.Store, files{"a.apk": part(""), "b.apk": part("config.astc")}): "(astc)",
		archiveOf(t, "5.apks", zip.Store,
			files{"a.apk": part(""), "b.apk": some}): "module some is for some phones",
		archiveOf(t, "6.apks", zip.Store, files{"a.apk": part(""), "../b.apk": part("x")}):            "leads out",
		archiveOf(t, "7.apks", zip.Store, files{"a.apk": part(""), `..\b.apk`: part("x")}):            "leads out",
		archiveOf(t, "8.xapk", zip.Store, files{"a.apk": part(""), "Android/obb/main.obb": nil}):      "expansion file",
		archiveOf(t, "9.apks", zip.Deflate, files{"a.apk": append(make([]byte, 1<<20), part("")...)}): "times the bytes",
	} {
		err := d.Install(t.Context(), path)
		if !errors.Is(err, drivers.ErrNoApp) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", filepath.Base(path), err, want)
		}
	}
}

func TestInstallPartsLeavesNoSession(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, map[string][]byte{"base.apk": part(""), "b.apk": part("config.de")})
	d, p := openPhone(t, androidsim.Options{})
	p.Fail(androidsim.Fault{Match: "install-write", Nth: 2, Kind: androidsim.Error,
		Output: "Error: failed to write; disk\n", Code: 1})
	if err := d.Install(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "failed to write; disk") ||
		p.InstallSessions() != 0 {
		t.Errorf("a refused part: %v, %d sessions", err, p.InstallSessions())
	}
	p.Heal()
	p.Fail(androidsim.Fault{Match: "install-commit", Kind: androidsim.Error,
		Output: "Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]\n", Code: 1})
	if err := d.Install(t.Context(), dir); err == nil ||
		!strings.Contains(err.Error(), "storage is full (Failure [INSTALL_FAILED") || drivers.AppIsWrong(err) {
		t.Errorf("a refused commit: %v", err)
	}
	p.Heal()
	before := p.InstallSessions()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := d.InstallWatched(ctx, dir, func(int64, int64) { cancel() })
	if err == nil || p.InstallSessions() != before || slices.Contains(p.Packages(), shop) {
		t.Errorf("a canceled installation: %v, %d sessions", err, p.InstallSessions()-before)
	}
}
