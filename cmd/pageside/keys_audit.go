package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/apikey"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/internal/dbfile"
	"github.com/pageside/pageside/store/sqlstore"
)

// commandLine is the method of entries about what was done on the command line.
const commandLine = "command line"

// keyEntry returns the audit entry about a key that was made or revoked. It belongs to the key's
// tenant. Nobody signs in to the command line: the method says where it was done.
func keyEntry(k apikey.Key, decision, method string) audit.Entry {
	e := audit.Entry{Time: k.Created, Kind: audit.Key, Tool: "apikey " + k.ID, Decision: decision, Outcome: audit.OK}
	e.Detail = fmt.Sprintf("for %s, roles %s, expires %s", k.Subject, strings.Join(k.Roles, ","), dateOf(k.Expires))
	if decision == audit.Revoked {
		e.Time = k.Revoked // zero, which is now, for one that was removed from the file
	}
	e.Principal = auth.Principal{Tenant: k.Tenant, Method: method}
	return e
}

// keysEvery is how often a server looks for keys that were made or revoked.
const keysEvery = 2 * time.Second

// auditKeys records keys that are made and revoked while the server runs, until stop is called.
func auditKeys(file apikey.File, log *audit.Log, warn *slog.Logger) (stop func()) {
	changes := apikey.NewChanges(file)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	look := func() {
		made, revoked, err := changes.Next()
		if err != nil {
			return // requests with keys fail with it, which is logged
		}
		for decision, keys := range map[string][]apikey.Key{audit.Given: made, audit.Revoked: revoked} {
			for _, k := range keys {
				if err := log.Record(ctx, keyEntry(k, decision, "server")); err != nil {
					warn.Error("an audit entry was lost", "kind", string(audit.Key), "key", k.ID, "error", err)
				}
			}
		}
	}
	go func() {
		defer close(done)
		for tick := time.NewTicker(keysEvery); ; {
			select {
			case <-tick.C:
				look()
			case <-ctx.Done():
				tick.Stop()
				look()
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

// noteKey records a key that was made or revoked while no server runs, and says on stderr where it
// is recorded, or why it is not. The key is good, or ended, either way.
func (a *app) noteKey(ctx context.Context, source *config.Source, address string, e audit.Entry) error {
	if off(source.Audit) {
		return nil
	}
	address, err := storeOf(source, address)
	if errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(a.stderr, "There is no store yet, so this is in no audit log; --store names another.")
		return nil
	}
	if err != nil {
		return err
	}
	err = a.recordIn(ctx, source, address, e)
	if errors.Is(err, dbfile.ErrInUse) {
		fmt.Fprintln(a.stderr, "A server has the store open: it records this in the audit log.")
		return nil
	}
	if err != nil {
		return fmt.Errorf("the key is changed, but that is not in the audit log: %w", err)
	}
	return nil
}

// recordIn records an entry in the store of a configuration, which no server has open.
func (a *app) recordIn(ctx context.Context, source *config.Source, address string, e audit.Entry) error {
	st, err := sqlstore.Open(ctx, address)
	if err != nil {
		return err
	}
	log, err := a.auditOf(ctx, st, source)
	if err == nil {
		err = confirmed(ctx, log, e)
		closeLog(log)
	}
	return errors.Join(err, st.Close())
}

// auditOf returns the audit log of a store that no server has open; nil where the configuration
// wants none.
func (a *app) auditOf(ctx context.Context, st audit.Store, source *config.Source) (*audit.Log, error) {
	if off(source.Audit) {
		return nil, nil
	}
	key, err := source.AuditKey(a.env)
	if err != nil {
		return nil, err
	}
	if len(key) == 0 {
		if err := checkUnsealed(ctx, st); err != nil {
			return nil, err
		}
	}
	log := audit.NewLog(audit.Config{Key: key, Keep: -1, File: source.AnchorFile()})
	return log, log.Open(ctx, st)
}

func off(a *config.Audit) bool { return a != nil && a.Enabled != nil && !*a.Enabled }

// checkUnsealed fails for a log that is sealed with a key: rows without a seal look forged in it.
func checkUnsealed(ctx context.Context, st audit.Store) error {
	heads, err := st.AuditHeads(ctx)
	if err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	if slices.ContainsFunc(heads, func(h audit.Head) bool { return h.Key != "" }) {
		return errors.New("the audit log is sealed with a key: --config names the pageside.yaml that has it")
	}
	return nil
}

// confirmed records an entry, if there is a log, and waits until it is on disk.
func confirmed(ctx context.Context, log *audit.Log, e audit.Entry) error {
	if log == nil {
		return nil
	}
	confirm, err := log.Begin(ctx, e)
	if err != nil {
		return err
	}
	return confirm(ctx)
}

// closeLog closes a log, if there is one.
func closeLog(log *audit.Log) {
	if log != nil {
		log.Close()
	}
}
