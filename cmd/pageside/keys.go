package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth/apikey"
	"github.com/pageside/pageside/config"
)

const keysUsage = `Usage: pageside keys COMMAND [flags]

  pageside keys create --subject NAME [flags]   makes a key and prints it, once
  pageside keys list [flags]                    lists the keys, without the keys themselves
  pageside keys revoke ID [flags]               ends a key; a running server notices within seconds

'pageside keys create --help' lists a command's flags. A server reads keys if its pageside.yaml has auth.apiKeys.
`

// keys makes, lists and revokes API keys.
func (a *app) keys(ctx context.Context, args []string) error {
	return a.choose(ctx, "keys", []command{
		{"create", (*app).createKey}, {"list", (*app).listKeys}, {"revoke", (*app).revokeKey},
	}, keysUsage, args)
}

// keyFlags returns a flag set, and a function that returns the configuration, which has a file of
// keys, once it is parsed.
func keyFlags(name string) (*flag.FlagSet, func() (*config.Source, error)) {
	fs := flagSet("keys " + name)
	file := fs.String("config", "pageside.yaml", "the configuration `FILE` whose auth.apiKeys names the file of keys")
	return fs, func() (*config.Source, error) {
		source, err := config.Load(*file)
		if err != nil {
			return nil, err
		}
		if config.Section(source.Auth).APIKeys == nil {
			return nil, fmt.Errorf("%s has no auth.apiKeys, so a server would not read keys; add\n\nauth:\n  apiKeys: {}",
				*file)
		}
		return source, nil
	}
}

// storeFlag adds the flag for the store whose audit log gets an entry.
func storeFlag(fs *flag.FlagSet) *string {
	return fs.String("store", "",
		"the store whose audit log notes it: sqlite:`FILE` (default that of --config, else sqlite:pageside.db)")
}

func notEmpty(value string) error {
	if value == "" {
		return errors.New("must not be empty")
	}
	return nil
}

// lifetime is a flag for how long a key is good: a duration, days, or never.
type lifetime time.Duration

const day = 24 * time.Hour

func (l *lifetime) String() string {
	if *l == 0 {
		return "never"
	}
	return strconv.Itoa(int(time.Duration(*l)/day)) + "d"
}

func (l *lifetime) Set(text string) error {
	if text == "never" {
		*l = 0
		return nil
	}
	if days, found := strings.CutSuffix(text, "d"); found {
		n, err := strconv.Atoi(days)
		if err != nil || n < 1 || n > 36500 {
			return errors.New("must be days such as 90d")
		}
		*l = lifetime(time.Duration(n) * day)
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return errors.New("must be days such as 90d, a duration such as 12h, or never")
	}
	*l = lifetime(d)
	return nil
}

func (a *app) createKey(ctx context.Context, args []string) error {
	fs, configured := keyFlags("create")
	address := storeFlag(fs)
	var k apikey.Key
	expires := lifetime(90 * day)
	fs.StringVar(&k.Subject, "subject", "", "`NAME` of whom or what uses the key; the threads are its own")
	fs.StringVar(&k.Tenant, "tenant", "", "`NAME` of the tenant")
	listVar(fs, &k.Roles, "role", "`NAME` of a role; may be repeated", notEmpty)
	fs.Var(&expires, "expires", "how long the key is good: `TIME` such as 30d or 12h, or never")
	fs.StringVar(&k.Note, "note", "", "`TEXT` for people, shown in the list")
	if err := a.parse(fs, args); err != nil {
		return err
	}
	if k.Subject == "" {
		return fmt.Errorf("--subject is needed: it says whose key that is: %w", errUsage)
	}
	source, err := configured()
	if err != nil {
		return err
	}
	keys := source.KeyFile()
	if expires > 0 {
		k.Expires = time.Now().UTC().Add(time.Duration(expires)).Truncate(time.Second)
	}
	made, secret, err := keys.Create(k)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "Key %s is in %s; it expires %s. This is the only time it is shown:\n", made.ID, keys,
		dateOf(made.Expires))
	fmt.Fprintln(a.stdout, secret)
	return a.noteKey(ctx, source, *address, keyEntry(made, audit.Given, commandLine))
}

// dateOf returns the day of a time, or never.
func dateOf(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format("2006-01-02 15:04")
}

func (a *app) listKeys(_ context.Context, args []string) error {
	fs, configured := keyFlags("list")
	if err := a.parse(fs, args); err != nil {
		return err
	}
	source, err := configured()
	if err != nil {
		return err
	}
	all, err := source.KeyFile().List()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSTATE\tSUBJECT\tTENANT\tROLES\tCREATED\tEXPIRES\tNOTE")
	for _, k := range all {
		fmt.Fprintln(table, strings.Join([]string{
			k.ID, stateOf(k), k.Subject, cmp.Or(k.Tenant, "-"), cmp.Or(strings.Join(k.Roles, ","), "-"),
			dateOf(k.Created), dateOf(k.Expires), k.Note,
		}, "\t"))
	}
	return table.Flush()
}

func stateOf(k apikey.Key) string {
	switch {
	case !k.Revoked.IsZero():
		return "revoked"
	case !k.Valid(time.Now()):
		return "expired"
	}
	return "valid"
}

func (a *app) revokeKey(ctx context.Context, args []string) error {
	fs, configured := keyFlags("revoke ID")
	address := storeFlag(fs)
	var id string
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		id, args = args[0], args[1:]
	}
	if err := a.parse(fs, args); err != nil {
		return err
	}
	if id == "" {
		return fmt.Errorf("revoke needs the key's id, which 'pageside keys list' shows: %w", errUsage)
	}
	source, err := configured()
	if err != nil {
		return err
	}
	k, err := source.KeyFile().Revoke(id)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "Key %s of %s is revoked.\n", k.ID, k.Subject)
	return a.noteKey(ctx, source, *address, keyEntry(k, audit.Revoked, commandLine))
}
