package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/store/sqlstore"
)

const auditUsage = `Usage:

  pageside audit verify [flags]    checks the audit log; exits with 1 and says where if it was changed
  pageside audit export [flags]    prints the audit log as lines of JSON, oldest first

Both read the store, also while a server has it open, and change nothing.
'pageside audit verify --help' lists the flags.
`

// auditFlags are the flags of the audit commands.
type auditFlags struct {
	config, store, anchors string
	keys                   []string
	tenant                 string
	from, to               string
	json                   bool
}

// variableRef refuses what does not name a variable of the environment.
func variableRef(ref string) error {
	if name, ok := strings.CutPrefix(ref, "env:"); !ok || name == "" {
		return errors.New("must be env:NAME")
	}
	return nil
}

// audit verifies or exports the audit log.
func (a *app) audit(ctx context.Context, args []string) error {
	reads := func(name string) command {
		return command{name, func(a *app, ctx context.Context, args []string) error { return a.readAudit(ctx, name, args) }}
	}
	return a.choose(ctx, "audit", []command{reads("verify"), reads("export")}, auditUsage, args)
}

func (a *app) readAudit(ctx context.Context, command string, args []string) error {
	var f auditFlags
	if err := a.parse(f.set(command), args); err != nil {
		return err
	}
	keys, err := f.resolve(a.env)
	if err != nil {
		return err
	}
	log, err := sqlstore.OpenAudit(ctx, f.store)
	if err != nil {
		return err
	}
	defer log.Close()
	if command == "export" {
		return f.export(ctx, log, a.stdout)
	}
	return f.verify(ctx, log, keys, a.stdout)
}

func (f *auditFlags) set(command string) *flag.FlagSet {
	flags := flagSet("audit " + command)
	flags.StringVar(&f.config, "config", "",
		"the pageside.yaml `FILE` of the server; names the store, the key and the anchors")
	flags.StringVar(&f.store, "store", "",
		"where the log is: sqlite:`FILE` (default that of --config, else sqlite:pageside.db)")
	if command == "export" {
		flags.StringVar(&f.tenant, "tenant", "", "print only the rows of this `tenant`")
		flags.StringVar(&f.from, "from", "", "print only rows of this `day` in UTC, such as 2026-01-31, and later ones")
		flags.StringVar(&f.to, "to", "", "print only rows of this `day` and earlier ones")
		return flags
	}
	flags.StringVar(&f.anchors, "anchors", "",
		"the `FILE` of anchors, or a log that has them (default that of --config)")
	listVar(flags, &f.keys, "key", "`env:NAME` of a key that rows were sealed with, besides that of --config; "+
		"may be repeated", variableRef)
	flags.BoolVar(&f.json, "json", false, "print the report as JSON")
	return flags
}

// resolve completes the flags from the configuration, and returns the keys.
func (f *auditFlags) resolve(env func(string) string) (keys [][]byte, err error) {
	for name, day := range map[string]string{"from": f.from, "to": f.to} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return nil, fmt.Errorf("--%s %q must be a day such as 2026-01-31: %w", name, day, errUsage)
		}
	}
	for _, ref := range f.keys {
		value := env(strings.TrimPrefix(ref, "env:"))
		if value == "" {
			return nil, fmt.Errorf("--key %s: the environment variable is not set", ref)
		}
		keys = append(keys, []byte(value))
	}
	source, address, err := existingStore(f.config, f.store)
	if err != nil {
		return nil, err
	}
	key, err := source.AuditKey(env)
	if key != nil {
		keys = append(keys, key)
	}
	f.store, f.anchors = address, cmp.Or(f.anchors, source.AnchorFile())
	return keys, err
}

// errTampered makes the program exit with 1.
var errTampered = errors.New("the audit log is not as it was written")

func (f *auditFlags) verify(ctx context.Context, log audit.Source, keys [][]byte, stdout io.Writer) error {
	anchors, unread, err := readAnchors(f.anchors)
	if err != nil {
		return fmt.Errorf("read the anchors: %w", err)
	}
	report, err := audit.Verify(ctx, log, anchors, keys...)
	if err != nil {
		return err
	}
	if f.json {
		err = writeJSON(stdout, report)
	} else {
		printReport(stdout, &report, unread)
	}
	if err == nil && report.State == audit.Tampered {
		err = errTampered
	}
	return err
}

func readAnchors(path string) (anchors []audit.Anchor, unread int, err error) {
	if path == "" {
		return nil, 0, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	return audit.ReadAnchors(file)
}

// verdicts say what the states of a log mean.
var verdicts = map[audit.State]string{
	audit.Intact:     "ok: the log is as it was written",
	audit.Unanchored: "unanchored: the rows are as they were written, but without anchors rows cut off at the end do not show (audit.anchor)",
	audit.Tampered:   "changed: in at least the places above",
}

func printReport(w io.Writer, r *audit.Report, unread int) {
	for _, p := range r.Problems {
		fmt.Fprintln(w, p)
	}
	fmt.Fprintf(w, "%d rows of %d tenants were checked: %s.\n", r.Rows, r.Tenants, verdicts[r.State])
	if r.Anchors > 0 {
		fmt.Fprintf(w, "%d anchors were compared; %d rows are newer than the last one.\n", r.Anchors, r.Loose)
	}
	if unread > 0 {
		fmt.Fprintf(w, "%d lines of the anchors could not be read.\n", unread)
	}
	if !r.Sealed && r.Rows > 0 {
		fmt.Fprintln(w,
			"The rows are hashed, not sealed: who can write the store could have rewritten all of them (audit.key).")
	}
}

func (f *auditFlags) export(ctx context.Context, log audit.Source, stdout io.Writer) error {
	out := bufio.NewWriter(stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for r, err := range log.AuditRows(ctx) {
		if err != nil {
			return err
		}
		if f.tenant != "" && r.Tenant != f.tenant || f.from != "" && r.Day < f.from || f.to != "" && r.Day > f.to {
			continue
		}
		if err := enc.Encode(exported(&r)); err != nil {
			return err
		}
	}
	return out.Flush()
}

// exportedRow is a row as a line of JSON. Entry is the stored text: a string if it is not JSON.
type exportedRow struct {
	Tenant string     `json:"tenant"`
	Day    string     `json:"day"`
	Seq    int64      `json:"seq"`
	Key    string     `json:"key,omitempty"`
	Prev   audit.Hash `json:"prev"`
	Hash   audit.Hash `json:"hash"`
	Entry  any        `json:"entry"`
}

func exported(r *audit.Row) exportedRow {
	out := exportedRow{r.Tenant, r.Day, r.Seq, r.Key, r.Prev, r.Hash, string(r.Body)}
	if json.Valid(r.Body) {
		out.Entry = json.RawMessage(r.Body)
	}
	return out
}
