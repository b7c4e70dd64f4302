package config

import (
	"strings"
	"time"

	"github.com/pageside/pageside/audit"
)

// Audit configures the audit log.
type Audit struct {
	Enabled      *bool    `json:"enabled,omitempty" jsonschema:"record who did what in the store; default true"`
	Key          Secret   `json:"key,omitempty" jsonschema:"env:NAME or file:PATH of a secret that seals each row with HMAC-SHA-256; without one rows are only hashed, and who can write the store can rewrite them all"`
	Keep         Duration `json:"keep,omitempty" jsonschema:"age at which rows are removed, by whole days in UTC; default 2160h (90 days)"`
	Anchor       string   `json:"anchor,omitempty" jsonschema:"file:PATH: where the newest hash of each tenant is appended every minute, relative to this file; keep it away from the store, since only it shows that the end of the log was cut off"`
	AnchorStdout bool     `json:"anchorStdout,omitempty" jsonschema:"write the same lines to standard output, for a log collector"`
	Arguments    bool     `json:"arguments,omitempty" jsonschema:"record the arguments of tool calls, with secrets removed, and not only their hash; default false"`
}

const anchorScheme = "file:"

// leastKey is the shortest key of the audit log, in bytes.
const leastKey = 16

// audit checks the audit section.
func (c *checker) audit() {
	a := Section(c.Audit)
	if path, ok := strings.CutPrefix(a.Anchor, anchorScheme); a.Anchor != "" && (!ok || path == "") {
		c.fail("audit.anchor", "must be file:PATH")
	}
	if keep := time.Duration(a.Keep); keep > 0 && keep < 24*time.Hour {
		c.fail("audit.keep", "must be at least 24h: rows are removed by whole days")
	}
}

// auditLog makes the audit log, or takes over that of the site before: a log is opened once, and
// changes of the section need a restart.
func (b *builder) auditLog() {
	if b.before != nil {
		if b.site.Audit = b.before.Audit; b.site.Audit != nil {
			b.site.Audit.SetSecrets(b.values)
		}
		return
	}
	a := Section(b.File.Audit)
	if b.Look || a.Enabled != nil && !*a.Enabled {
		return
	}
	if !b.Options.Audit {
		if b.File.Audit != nil {
			b.fail("audit", "this program keeps no audit log: it has to set config.Options.Audit")
		}
		return
	}
	cfg := audit.Config{Keep: time.Duration(a.Keep), Arguments: a.Arguments, Logger: b.Logger, File: b.AnchorFile()}
	if a.Key != "" {
		cfg.Key = b.keyAt("audit.key", a.Key, leastKey)
	}
	if a.AnchorStdout {
		cfg.Output = b.Stdout
	}
	cfg.Secrets = b.values
	b.site.Audit = audit.NewLog(cfg)
}

// Recorder returns the site's audit log as a recorder, with none as a nil interface.
func (s *Site) Recorder() audit.Recorder {
	if s.Audit == nil {
		return nil
	}
	return s.Audit
}

// AuditKey returns the key of the audit log, nil for none.
func (s *Source) AuditKey(env func(string) string) ([]byte, error) {
	if Section(s.Audit).Key == "" {
		return nil, nil
	}
	key, _, err := s.sources(env).secret(s.Audit.Key)
	if err != nil {
		return nil, s.error("audit.key", "%v", err)
	}
	return []byte(key), nil
}

// AnchorFile returns the file of the audit log's anchors, "" for none.
func (s *Source) AnchorFile() string {
	path, ok := strings.CutPrefix(Section(s.Audit).Anchor, anchorScheme)
	if !ok {
		return ""
	}
	return s.besideFile(path)
}
