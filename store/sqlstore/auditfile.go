package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/pageside/pageside/audit"
)

// AuditFile reads the audit log of a database, also while a server has it open.
type AuditFile struct{ reading *reader }

var _ audit.Source = (*AuditFile)(nil)

// OpenAudit opens the database named by dsn, as in Open, to read its audit log. It claims nothing
// and changes nothing. Do not open a database that a Store of this process has open.
func OpenAudit(ctx context.Context, dsn string) (*AuditFile, error) {
	f, err := openAudit(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("store: open the audit log of %q: %w", dsn, err)
	}
	return f, nil
}

func openAudit(ctx context.Context, dsn string) (*AuditFile, error) {
	name, err := pathOf(dsn)
	if err != nil {
		return nil, err
	}
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	set := defaults()
	c, err := connector(path, forReading, &set)
	if err != nil {
		return nil, err
	}
	f := &AuditFile{newReader(c, nil, unlocked{}, 1)}
	var n int
	err = f.reading.each(ctx, countAuditTables, nil, func(r row) error { return r.Scan(&n) })
	if err == nil && n == 0 {
		err = errors.New("it has no audit log: it was not written by this version")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

const countAuditTables = `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'audit_log'`

// AuditHeads implements audit.Source.
func (f *AuditFile) AuditHeads(ctx context.Context) ([]audit.Head, error) {
	return auditHeads(ctx, f.reading, selectAuditHeads)
}

// AuditRows implements audit.Source.
func (f *AuditFile) AuditRows(ctx context.Context) iter.Seq2[audit.Row, error] {
	return auditRows(ctx, f.reading, selectAuditAfter, audit.Row{Seq: -1})
}

// AuditRecords is Store.AuditRecords.
func (f *AuditFile) AuditRecords(ctx context.Context, tenant string, q audit.Query) (audit.Page, error) {
	return auditRecords(ctx, f.reading, tenant, q)
}

// Close closes the file.
func (f *AuditFile) Close() error { return f.reading.close() }
