package blob_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/blob/blobtest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

// buckets returns all kinds of buckets.
func buckets(t *testing.T) map[string]func() blob.Bucket {
	t.Helper()
	dir, server := t.TempDir(), blobtest.Start(t)
	open := func(address string) func() blob.Bucket {
		return func() blob.Bucket {
			b, err := blob.Open(address, server.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
	return map[string]func() blob.Bucket{"folder": open(dir), "s3": open(server.Address("")),
		"a folder of s3": open(server.Address("/some/place"))}
}

func file(t *testing.T, data []byte) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func get(t *testing.T, b blob.Bucket, name string) ([]byte, error) {
	t.Helper()
	r, err := b.Get(t.Context(), name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// TestBuckets checks that a server can get, list and delete what another one has stored.
func TestBuckets(t *testing.T) {
	large := make([]byte, 3<<20)
	_, _ = rand.Read(large)
	for kind, open := range buckets(t) {
		t.Run(kind, func(t *testing.T) {
			one, two := open(), open()
			if names, err := one.List(t.Context(), "projects/p1/"); err != nil || len(names) != 0 {
				t.Errorf("an empty bucket lists %v, %v", names, err)
			}
			if _, err := get(t, one, "projects/p1/none"); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("a file that does not exist: %v", err)
			}
			want := map[string][]byte{"projects/p1/a.tar.gz": large, "projects/p1/b": {}, "projects/p1/c": []byte("c"),
				"projects/p1/deep/d": []byte("d"), "projects/p1/e": []byte("e"),
				"projects/p1-2/f": []byte("f"), "projects/p2/g": []byte("g")}
			for name, data := range want {
				f := file(t, data)
				_, _ = f.Seek(0, io.SeekEnd) // Put sends from the start
				if err := one.Put(t.Context(), name, f); err != nil {
					t.Fatal(err)
				}
			}
			for name, data := range want {
				if is, err := get(t, two, name); err != nil || !bytes.Equal(is, data) {
					t.Errorf("%s: %d bytes, %v", name, len(is), err)
				}
			}
			if err := two.Put(t.Context(), "projects/p1/c", file(t, []byte("new"))); err != nil {
				t.Error(err)
			}
			if is, err := get(t, one, "projects/p1/c"); err != nil || string(is) != "new" {
				t.Errorf("a file after the second Put is %q, %v", is, err)
			}
			names, err := two.List(t.Context(), "projects/p1/")
			if want := []string{"projects/p1/a.tar.gz", "projects/p1/b", "projects/p1/c", "projects/p1/deep/d",
				"projects/p1/e"}; err != nil || !slices.Equal(names, want) {
				t.Errorf("%v, %v", names, err)
			}
			for range 2 { // deleting again is not an error
				if err := one.Delete(t.Context(), "projects/p1/c"); err != nil {
					t.Error(err)
				}
			}
			if _, err := get(t, two, "projects/p1/c"); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("after it was deleted: %v", err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := one.Put(ctx, "projects/p1/late", file(t, large)); err == nil {
				t.Error("a file was stored after its context had ended")
			}
			if names, err := one.List(t.Context(), "projects/p1/"); err != nil || len(names) != 4 {
				t.Errorf("%v, %v", names, err)
			}
		})
	}
}

// TestFolderThatIsAway checks that a missing folder is an error, not an empty bucket, and is not created.
func TestFolderThatIsAway(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mounted")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := blob.Open(dir, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), "a/b"); err == nil || errors.Is(err, blob.ErrNotFound) {
		t.Errorf("get: %v", err)
	}
	if names, err := b.List(t.Context(), "a/"); err == nil {
		t.Errorf("list: %q", names)
	}
	if err := b.Put(t.Context(), "a/b", file(t, []byte("b"))); err == nil {
		t.Error("a file was stored without the folder")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was created")
	}
}

// TestNames checks that names cannot lead out of the bucket, or have a special meaning for a server.
func TestNames(t *testing.T) {
	for kind, open := range buckets(t) {
		b := open()
		for _, name := range []string{"", "/", "a/", "/a", "a//b", "..", "a/../b", ".hidden", "a/.b", "a b", "a%2fb", "a?b",
			"a\\b", "ä", "a\x00", strings.Repeat("a", 300)} {
			if b.Put(t.Context(), name, file(t, nil)) == nil {
				t.Errorf("%s: put %q", kind, name)
			}
			if _, err := b.Get(t.Context(), name); err == nil || errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s: get %q: %v", kind, name, err)
			}
			if b.Delete(t.Context(), name) == nil {
				t.Errorf("%s: delete %q", kind, name)
			}
			if _, err := b.List(t.Context(), name); err == nil && name != "a/" {
				t.Errorf("%s: list %q", kind, name)
			}
		}
	}
}

// TestWritersAtOnce checks that one of two concurrent writes of the same name is stored completely.
func TestWritersAtOnce(t *testing.T) {
	for kind, open := range buckets(t) {
		var all sync.WaitGroup
		for i := range 8 {
			data, b := bytes.Repeat([]byte{byte(i)}, 256<<10), open()
			f := file(t, data)
			all.Go(func() {
				if err := b.Put(t.Context(), "p/same", f); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		data, err := get(t, open(), "p/same")
		if err != nil || len(data) != 256<<10 || len(slices.Compact(data)) != 1 {
			t.Errorf("%s: %d bytes, %v", kind, len(data), err)
		}
	}
}

// TestS3Fails checks that a busy server is tried again, and the errors for one that stays busy, sends an incomplete
// response, or refuses the key.
func TestS3Fails(t *testing.T) {
	server := blobtest.Start(t)
	b, err := blob.Open(server.Address(""), server.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	server.Busy(2)
	if err := b.Put(t.Context(), "p/a", file(t, bytes.Repeat([]byte("x"), 100))); err != nil || server.Asked("PUT") != 3 {
		t.Errorf("a busy server: %v after %d attempts", err, server.Asked("PUT"))
	}
	server.Cut(1)
	if data, err := get(t, b, "p/a"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("an incomplete response: %d bytes, %v", len(data), err)
	}
	server.Down(true)
	var e *blob.Error
	if _, err := b.List(t.Context(), "p/"); !errors.As(err, &e) || e.Status != 503 {
		t.Errorf("a server that is down: %v", err)
	}
	server.Down(false)
	for _, c := range []struct{ name, value, want string }{
		{"AWS_SECRET_ACCESS_KEY", "wrong", "SignatureDoesNotMatch"},
		{"AWS_ACCESS_KEY_ID", "AKIDOTHER", "InvalidAccessKeyId"},
	} {
		before := server.Asked("GET")
		b, err := blob.Open(server.Address(""), func(name string) string {
			if name == c.name {
				return c.value
			}
			return server.Getenv(name)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.List(t.Context(), "p/"); !errors.As(err, &e) || e.Code != c.want || server.Asked("GET") != before+1 {
			t.Errorf("%s=%s: %v", c.name, c.value, err)
		}
	}
	if names := server.Names(); !slices.Equal(names, []string{"p/a"}) {
		t.Errorf("%v", names)
	}
}

// TestAddresses checks that invalid addresses are refused before any request.
func TestAddresses(t *testing.T) {
	env := map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}
	for _, c := range []struct{ address, missing, want string }{
		{"gs://bucket", "", "starts with s3://"},
		{filepath.Join(t.TempDir(), "none"), "", "is not a folder"},
		{"s3://", "", "s3://BUCKET"},
		{"s3://id:secret@bucket", "", "s3://BUCKET"},
		{"s3://bucket?regoin=x", "", `not "regoin"`},
		{"s3://bucket?endpoint=minio", "", "the endpoint of a bucket"},
		{"s3://bucket/../x", "", "cannot be the name"},
		{"s3://bucket", "AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID"},
		{"s3://bucket", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY"},
	} {
		_, err := blob.Open(c.address, func(name string) string {
			if name == c.missing {
				return ""
			}
			return env[name]
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.address, err)
		}
	}
}
