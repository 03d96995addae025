package service_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

func TestSecretMustFit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l := open(t, address)
		l.person(t, "ada@example.com")
		if _, err := service.Open(t.Context(),
			service.Options{Database: address, Secret: strings.Repeat("another ", 5)}); err == nil ||
			!strings.Contains(err.Error(), "TAPROOT_SERVICE_SECRET") {
			t.Error(err)
		}
	})
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		open(t, address)
		db, err := store.Open(t.Context(), address)
		must(t, err)
		_, err = db.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, $1)", true)
		must(t, err)
		must(t, db.Close())
		var newer *store.NewerError
		if _, err := service.Open(t.Context(), service.Options{Database: address, Secret: secret}); !errors.As(err, &newer) {
			t.Error(err)
		}
	})
}

func TestBackup(t *testing.T) {
	t.Parallel()
	address := storetest.SQLite(t)
	l := open(t, address)
	k := key(t, project(t, l.person(t, "ada@example.com")), "*")
	copied := filepath.Join(t.TempDir(), "copy.db")
	must(t, l.Backup(t.Context(), copied))
	if l.Backup(t.Context(), copied) == nil {
		t.Error("a backup was overwritten")
	}
	again := open(t, copied)
	_, err := again.Identify(t.Context(), header(k.Secret), from)
	must(t, err)
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

// TestRestore checks that a backup replaces a database that is not in use, and nothing else.
func TestRestore(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	path, copied := filepath.Join(dir, "service.db"), filepath.Join(dir, "copy.db")
	l := open(t, storetest.SQLite(t))
	l.person(t, "ada@example.com")
	must(t, l.Backup(ctx, copied))
	kept, err := store.Restore(ctx, copied, path)
	if err != nil || kept != "" {
		t.Fatal(kept, err)
	}
	restored, err := service.Open(ctx, service.Options{Database: path, Secret: secret})
	must(t, err)
	_, err = restored.Operator().CreateAccount(ctx, "bob@example.com", password, false)
	must(t, err)
	if _, err := store.Restore(ctx, copied, path); !errors.Is(err, store.ErrInUse) {
		t.Errorf("a database that is in use: %v", err)
	}
	must(t, restored.Close())
	must(t, os.WriteFile(filepath.Join(dir, "text.db"), []byte(strings.Repeat("no database ", 1000)), 0o600))
	newer := filepath.Join(dir, "newer.db")
	must(t, l.Backup(ctx, newer))
	db, err := store.Open(ctx, newer)
	must(t, err)
	_, err = db.Exec(ctx, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, $1)", true)
	must(t, errors.Join(err, db.Close()))
	for _, bad := range []string{"text.db", "newer.db", "none.db"} {
		if _, err := store.Restore(ctx, filepath.Join(dir, bad), path); err == nil {
			t.Errorf("%s was restored", bad)
		}
	}
	emails := func(path string) string {
		s, err := service.Open(ctx, service.Options{Database: path, Secret: secret})
		must(t, err)
		list, err := s.Operator().Accounts(ctx, "", "", 10)
		must(t, errors.Join(err, s.Close()))
		var all []string
		for _, a := range list {
			all = append(all, a.Email)
		}
		return strings.Join(all, " ")
	}
	if got := emails(path); got != "ada@example.com bob@example.com" {
		t.Errorf("a refusal changed the database: %s", got)
	}
	kept, err = store.Restore(ctx, copied, path)
	must(t, err)
	if now, before := emails(path), emails(kept); now != "ada@example.com" || before != "ada@example.com bob@example.com" {
		t.Errorf("%s, before %s", now, before)
	}
}
