package queue

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// An archive of tests has a row before its file is put into the bucket, and keeps it as long as something needs the
// file. Each upload has its own file. Therefore a file without a row can be removed, and removing the file of a deleted
// row cannot affect a later upload of the same archive.

// ErrNoArchive means that no archive has that name (any more).
var ErrNoArchive = errors.New("there is no such archive: PUT it first")

// AddArchive records that the file of a project's archive is about to be uploaded.
func (q *Queue) AddArchive(ctx context.Context, project, sum, blob string) error {
	_, err := q.db.Exec(ctx, "INSERT INTO farm_archives (blob, project, sum, used) VALUES ($1, $2, $3, $4)", blob, project,
		sum, store.Time(q.now()))
	return err
}

// ArchiveReady records that the upload is complete. It returns ErrNoArchive when the upload took too long and expired.
func (q *Queue) ArchiveReady(ctx context.Context, blob string) error {
	n, err := q.db.Exec(ctx, "UPDATE farm_archives SET ready = 1, used = $2 WHERE blob = $1", blob, store.Time(q.now()))
	if err == nil && n == 0 {
		err = ErrNoArchive
	}
	return err
}

// Archive returns the file of an archive and marks the archive as used now. It returns ErrNoArchive when there is none.
func (q *Queue) Archive(ctx context.Context, project, sum string) (blob string, err error) {
	err = q.db.Write(ctx, func(tx *store.Tx) error {
		if err := q.use(tx, project, sum); err != nil {
			return err
		}
		return tx.One("SELECT blob FROM farm_archives WHERE project = $1 AND sum = $2 AND ready = 1 ORDER BY blob LIMIT 1",
			[]any{project, sum}, &blob)
	})
	return blob, err
}

// ArchiveFile returns the file of an archive for reading in a run. It changes nothing.
func (q *Queue) ArchiveFile(ctx context.Context, project, sum string) (blob string, err error) {
	err = q.db.One(ctx,
		"SELECT blob FROM farm_archives WHERE project = $1 AND sum = $2 AND ready = 1 ORDER BY blob LIMIT "+
			"1", []any{project, sum}, &blob)
	if errors.Is(err, store.ErrNoRow) {
		err = ErrNoArchive
	}
	return blob, err
}

// use marks an archive as used now. A concurrent removal waits for this transaction, and then sees the mark.
func (q *Queue) use(tx *store.Tx, project, sum string) error {
	n, err := tx.Exec("UPDATE farm_archives SET used = $3 WHERE project = $1 AND sum = $2 AND ready = 1", project, sum,
		store.Time(q.now()))
	if err == nil && n == 0 {
		err = ErrNoArchive
	}
	return err
}

// DropArchive removes the row of a file that is not in the bucket.
func (q *Queue) DropArchive(ctx context.Context, blob string) error {
	_, err := q.db.Exec(ctx, "DELETE FROM farm_archives WHERE blob = $1", blob)
	return err
}

// ArchiveProjects lists the projects that have archives.
func (q *Queue) ArchiveProjects(ctx context.Context) ([]string, error) {
	return q.texts(ctx, "SELECT DISTINCT project FROM farm_archives ORDER BY project")
}

// ArchiveFiles lists the files of all archives, including those being uploaded.
func (q *Queue) ArchiveFiles(ctx context.Context) ([]string, error) {
	return q.texts(ctx, "SELECT blob FROM farm_archives")
}

// Runs lists the runs, including those that have ended but still have a running case.
func (q *Queue) Runs(ctx context.Context) ([]string, error) {
	return q.texts(ctx, "SELECT id FROM farm_runs")
}

func (q *Queue) texts(ctx context.Context, query string) (list []string, err error) {
	err = q.db.Each(ctx, query, nil, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		list = append(list, text)
		return err
	})
	return list, err
}

// uploadLimit is how long an upload may take.
const uploadLimit = 24 * time.Hour

// ExpireArchives removes the rows of a project's archives that were last used before a moment and that no run needs,
// and of interrupted uploads. The returned files can be removed.
func (q *Queue) ExpireArchives(ctx context.Context, project string, before time.Time) (blobs []string, err error) {
	err = q.db.Write(ctx, func(tx *store.Tx) error {
		blobs = nil
		return tx.Each(
			"DELETE FROM farm_archives WHERE project = $1 AND (ready = 0 AND used < $3 OR ready = 1 AND used < $2 AND "+
				"NOT EXISTS (SELECT 1 FROM farm_runs r WHERE r.project = farm_archives.project AND r.archive = "+
				"farm_archives.sum)) RETURNING blob",
			[]any{project, store.Time(before), store.Time(q.now().Add(-uploadLimit))}, func(scan func(...any) error) error {
				var blob string
				err := scan(&blob)
				blobs = append(blobs, blob)
				return err
			})
	})
	return blobs, err
}
