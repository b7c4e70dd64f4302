package config_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/inspect"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
)

// canaries are secrets of a site whose output is searched for them.
type canaries struct {
	t         *testing.T
	folder    string
	env       map[string]string
	cores     []string    // of the secrets: no encoding changes them
	out       logged.Text // everything that leaves the server
	log       *slog.Logger
	inspector *inspect.Recorder
	store     *sqlstore.Store
	runs      *run.Manager
}

func newCanaries(t *testing.T) *canaries {
	c := &canaries{t: t, folder: t.TempDir(), env: map[string]string{}, inspector: inspect.New(50), store: temp.Store(t)}
	c.log = slog.New(slog.NewTextHandler(&c.out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	write(t, c.folder, "s.yaml", "name: s\nrules: [{match: '.*', steps: [{text: done}]}]\n")
	return c
}

// secret makes a secret that is written differently in JSON, HTML and logs.
func (c *canaries) secret(name string) string {
	core := fmt.Sprintf("canary-%s-%04d", name, len(c.cores))
	c.cores = append(c.cores, core)
	return "x7/<&>Qz" + core + "-0123456"
}

// seed makes a secret of the environment, and returns how the file refers to it.
func (c *canaries) seed(name string) string {
	c.env[name] = c.secret(name)
	return "env:" + name
}

// build builds a site from the text of a file.
func (c *canaries) build(text string) *config.Site {
	c.t.Helper()
	write(c.t, c.folder, "pageside.yaml", text)
	source := must.Get(config.Load(filepath.Join(c.folder, "pageside.yaml")))(c.t)
	previous := slog.Default()
	slog.SetDefault(c.log)
	c.t.Cleanup(func() { slog.SetDefault(previous) })
	site, err := config.Build(c.t.Context(), source, config.Options{Env: func(name string) string { return c.env[name] }, Logger: c.log, Tracer: c.inspector, Audit: true, OpenModel: openSecretly})
	must.Do(c.t, err)
	c.t.Cleanup(func() { site.Close() })
	return site
}

// open opens the audit log, and returns a manager of the site's runs.
func (c *canaries) open(site *config.Site) *run.Manager {
	c.t.Helper()
	must.Do(c.t, site.Audit.Open(c.t.Context(), c.store))
	m, err := run.NewManager(c.t.Context(), run.Config{Store: c.store, Agents: site.Served(), Audit: site.Audit, Logger: c.log})
	must.Do(c.t, err)
	c.runs = m
	return m
}

// close ends everything, and keeps what the inspector and the audit log have. It returns the number
// of the log's rows.
func (c *canaries) close(site *config.Site) (rows int) {
	c.t.Helper()
	c.runs.Drain(context.Background())
	site.Audit.Close()
	site.Close()
	ann := store.Owner{Subject: "ann"}.Key()
	for _, r := range c.inspector.Runs(inspect.Access{Owner: ann}) {
		detail, _ := c.inspector.Run(inspect.Access{Owner: ann}, r.ID)
		raw := must.Get(json.Marshal(detail))(c.t)
		report, _, _ := c.inspector.Report(ann, r.ID)
		_, _ = c.out.Write(append(raw, report...))
	}
	for r, err := range c.store.AuditRows(c.t.Context()) {
		must.Do(c.t, err)
		rows++
		_, _ = c.out.Write(r.Body)
	}
	if rows == 0 {
		c.t.Error("the audit log is empty")
	}
	return rows
}

// check searches what left the server.
func (c *canaries) check() {
	c.t.Helper()
	c.t.Logf("%d secrets, %d bytes of output", len(c.cores), len(c.out.String()))
	for _, core := range c.cores {
		if at := strings.Index(c.out.String(), core); at >= 0 {
			c.t.Errorf("%s leaked: …%s…", core, c.out.String()[max(0, at-300):at+len(core)])
		}
	}
}
