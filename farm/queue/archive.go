package queue

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/server/service/store"
)

// An archive of tests has a row before its file is put into the bucket, and until after nothing needs it; each upload
// has a file of its own. So a file without a row is nobody's, and whoever removes the file of a row that is gone
// removes no later upload of the same archive.

// ErrNoArchive means that there is no archive of that name, or not any more.
var ErrNoArchive = errors.New("there is no such archive: PUT it first")

// AddArchive says that a project's archive is about to be put into the bucket.
func (q *Queue) AddArchive(ctx context.Context, project, sum, blob string) error {
	_, err := q.db.Exec(ctx, "INSERT INTO farm_archives (blob, project, sum, used) VALUES ($1, $2, $3, $4)", blob, project,
		sum, store.Time(q.now()))
	return err
}

// ArchiveReady says that it is there; ErrNoArchive when it took so long that nobody waited for it.
func (q *Queue) ArchiveReady(ctx context.Context, blob string) error {
	n, err := q.db.Exec(ctx, "UPDATE farm_archives SET ready = 1, used = $2 WHERE blob = $1", blob, store.Time(q.now()))
	if err == nil && n == 0 {
		err = ErrNoArchive
	}
	return err
}

// Archive gives the file of an archive, which counts as used now; ErrNoArchive when there is none.
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

// ArchiveFile gives the file of an archive to who reads it for a run, and changes nothing.
func (q *Queue) ArchiveFile(ctx context.Context, project, sum string) (blob string, err error) {
	err = q.db.One(ctx,
		"SELECT blob FROM farm_archives WHERE project = $1 AND sum = $2 AND ready = 1 ORDER BY blob LIMIT "+
			"1", []any{project, sum}, &blob)
	if errors.Is(err, store.ErrNoRow) {
		err = ErrNoArchive
	}
	return blob, err
}

// use says that an archive is used now. Who removes it at the same moment waits for this transaction, and then finds it
// used.
func (q *Queue) use(tx *store.Tx, project, sum string) error {
	n, err := tx.Exec("UPDATE farm_archives SET used = $3 WHERE project = $1 AND sum = $2 AND ready = 1", project, sum,
		store.Time(q.now()))
	if err == nil && n == 0 {
		err = ErrNoArchive
	}
	return err
}

// DropArchive forgets a file, which is not in the bucket.
func (q *Queue) DropArchive(ctx context.Context, blob string) error {
	_, err := q.db.Exec(ctx, "DELETE FROM farm_archives WHERE blob = $1", blob)
	return err
}

// ArchiveProjects lists the projects that have archives.
func (q *Queue) ArchiveProjects(ctx context.Context) ([]string, error) {
	return q.texts(ctx, "SELECT DISTINCT project FROM farm_archives ORDER BY project")
}

// ArchiveFiles lists the files of all archives, those under way too.
func (q *Queue) ArchiveFiles(ctx context.Context) ([]string, error) {
	return q.texts(ctx, "SELECT blob FROM farm_archives")
}

// Runs lists the runs that there are, those too that have ended while a case of them is under way.
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

// ExpireArchives forgets a project's archives that nothing has used since a moment and no run needs, and uploads that
// broke off. Their files may be removed.
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
