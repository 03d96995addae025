package queue

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// Archives records which archives of tests exist, and which are in use. An archive has a row before its file is put
// into the bucket, and keeps it as long as something needs the file. Each upload has its own file. Therefore a file
// without a row can be removed, and removing the file of a deleted row cannot affect a later upload of the same
// archive. Safe for concurrent use, also by several processes.
type Archives struct {
	db  *store.DB
	now func() time.Time
}

// ErrNoArchive means that no archive has that name (any more).
var ErrNoArchive = errors.New("there is no such archive: PUT it first")

// Add records that the file of a project's archive is about to be uploaded.
func (a *Archives) Add(ctx context.Context, project, sum, blob string) error {
	_, err := a.db.Exec(ctx, "INSERT INTO farm_archives (blob, project, sum, used) VALUES ($1, $2, $3, $4)", blob, project,
		sum, store.Time(a.now()))
	return err
}

// Ready records that the upload is complete. It returns ErrNoArchive when the upload took too long and expired.
func (a *Archives) Ready(ctx context.Context, blob string) error {
	n, err := a.db.Exec(ctx, "UPDATE farm_archives SET ready = 1, used = $2 WHERE blob = $1", blob, store.Time(a.now()))
	if err == nil && n == 0 {
		err = ErrNoArchive
	}
	return err
}

// Use returns the file of an archive and marks the archive as used now. It returns ErrNoArchive when there is none.
func (a *Archives) Use(ctx context.Context, project, sum string) (blob string, err error) {
	err = a.db.Write(ctx, func(tx *store.Tx) error {
		if err := a.use(tx, project, sum); err != nil {
			return err
		}
		return tx.One("SELECT blob FROM farm_archives WHERE project = $1 AND sum = $2 AND ready = 1 ORDER BY blob LIMIT 1",
			[]any{project, sum}, &blob)
	})
	return blob, err
}

// File returns the file of an archive for reading in a run. It changes nothing.
func (a *Archives) File(ctx context.Context, project, sum string) (blob string, err error) {
	err = a.db.One(ctx,
		"SELECT blob FROM farm_archives WHERE project = $1 AND sum = $2 AND ready = 1 ORDER BY blob LIMIT "+
			"1", []any{project, sum}, &blob)
	if errors.Is(err, store.ErrNoRow) {
		err = ErrNoArchive
	}
	return blob, err
}

// use marks an archive as used now. A concurrent removal waits for this transaction, and then sees the mark.
func (a *Archives) use(tx *store.Tx, project, sum string) error {
	n, err := tx.Exec("UPDATE farm_archives SET used = $3 WHERE project = $1 AND sum = $2 AND ready = 1", project, sum,
		store.Time(a.now()))
	if err == nil && n == 0 {
		err = ErrNoArchive
	}
	return err
}

// Drop removes the row of a file that is not in the bucket.
func (a *Archives) Drop(ctx context.Context, blob string) error {
	_, err := a.db.Exec(ctx, "DELETE FROM farm_archives WHERE blob = $1", blob)
	return err
}

// Projects lists the projects that have archives.
func (a *Archives) Projects(ctx context.Context) ([]string, error) {
	return texts(ctx, a.db, "SELECT DISTINCT project FROM farm_archives ORDER BY project")
}

// Files lists the files of all archives, including those being uploaded.
func (a *Archives) Files(ctx context.Context) ([]string, error) {
	return texts(ctx, a.db, "SELECT blob FROM farm_archives")
}

func texts(ctx context.Context, db *store.DB, query string) (list []string, err error) {
	err = db.Each(ctx, query, nil, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		list = append(list, text)
		return err
	})
	return list, err
}

// uploadLimit is how long an upload may take.
const uploadLimit = 24 * time.Hour

// Expire removes the rows of a project's archives that were last used before a moment and that no run needs,
// and of interrupted uploads. The returned files can be removed.
func (a *Archives) Expire(ctx context.Context, project string, before time.Time) (blobs []string, err error) {
	err = a.db.Write(ctx, func(tx *store.Tx) error {
		blobs = nil
		return tx.Each(
			"DELETE FROM farm_archives WHERE project = $1 AND (ready = 0 AND used < $3 OR ready = 1 AND used < $2 AND "+
				"NOT EXISTS (SELECT 1 FROM farm_runs r WHERE r.project = farm_archives.project AND r.archive = "+
				"farm_archives.sum)) RETURNING blob",
			[]any{project, store.Time(before), store.Time(a.now().Add(-uploadLimit))}, func(scan func(...any) error) error {
				var blob string
				err := scan(&blob)
				blobs = append(blobs, blob)
				return err
			})
	})
	return blobs, err
}
