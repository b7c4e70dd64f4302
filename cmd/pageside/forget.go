package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// stdin is where a confirmation is read from.
var stdin io.Reader = os.Stdin

// forget deletes everything of a person from a store that no server has open.
func (a *app) forget(ctx context.Context, args []string) error {
	var o store.Owner
	var file, address string
	flags := flagSet("forget")
	flags.StringVar(&o.Subject, "subject", "", "whose data to delete: the `subject` the server knows the person by")
	flags.StringVar(&o.Tenant, "tenant", "", "the person's `tenant`, if there are tenants")
	flags.StringVar(&file, "config", "", "the pageside.yaml `FILE` that names the store")
	flags.StringVar(&address, "store", "", "the store: sqlite:`FILE` (default sqlite:pageside.db)")
	dry := flags.Bool("dry-run", false, "only count what would be deleted")
	yes := flags.Bool("yes", false, "do not ask")
	if err := a.parse(flags, args); err != nil {
		return err
	}
	if o.Subject == "" {
		return fmt.Errorf("--subject is needed: whose data to delete: %w", errUsage)
	}
	source, address, err := existingStore(file, address)
	if err != nil {
		return err
	}
	st, err := sqlstore.Open(ctx, address)
	if err != nil {
		return fmt.Errorf("open the store %q, which must not be in use (a running server deletes with DELETE /v1/subjects/{subject}): %w",
			address, err)
	}
	err = a.confirmForget(ctx, st, o, *dry, *yes)
	if err == nil && !*dry {
		err = a.forgetPerson(ctx, st, o, source)
	}
	return errors.Join(err, st.Close())
}

// existingStore returns a configuration, empty without a file, and the address of its store or the
// given one. The store is there: opening another would make it.
func existingStore(file, address string) (*config.Source, string, error) {
	source := new(config.Source)
	var err error
	if file != "" {
		if source, err = config.Load(file); err != nil {
			return nil, "", err
		}
	}
	address, err = storeOf(source, address)
	return source, address, err
}

// storeOf returns the address of a store that is there: the given one, or that of a configuration.
func storeOf(source *config.Source, address string) (string, error) {
	address = cmp.Or(address, source.Store, defaultStore)
	path := strings.TrimPrefix(address, "sqlite:")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("open the store: %w", err)
	}
	return address, nil
}

// confirmForget says what the store has of a person, and asks whether to delete it. Its error says
// that nothing was deleted.
func (a *app) confirmForget(ctx context.Context, st store.Store, o store.Owner, dry, yes bool) error {
	h, err := st.Holdings(ctx, o)
	if err != nil {
		return err
	}
	who := fmt.Sprintf("%q", o.Subject)
	if o.Tenant != "" {
		who += fmt.Sprintf(" of tenant %q", o.Tenant)
	}
	fmt.Fprintf(a.stdout, "The store has of %s: %d threads, %d runs, %d tool calls, %d allowances, %d ratings, %d other rows.\n",
		who, h.Threads, h.Runs, h.ToolCalls, h.Allowances, h.Feedback, h.Other)
	if dry {
		fmt.Fprintln(a.stdout, "Nothing was deleted.")
		return nil
	}
	if !yes {
		fmt.Fprint(a.stdout, "Delete all of it for good? Type yes: ")
		answer, _ := bufio.NewReader(stdin).ReadString('\n') // the end of the input is no yes
		if strings.TrimSpace(answer) != "yes" {
			return errors.New("nothing was deleted: the answer was not yes (--yes does not ask)")
		}
	}
	return nil
}

// forgetPerson deletes everything of a person. The audit log has it before it begins, and how it
// ended.
func (a *app) forgetPerson(ctx context.Context, st *sqlstore.Store, o store.Owner, source *config.Source) error {
	log, err := a.auditOf(ctx, st, source)
	if err != nil {
		return fmt.Errorf("nothing was deleted: %w", err)
	}
	defer closeLog(log)
	e := audit.Entry{Kind: audit.Forget, Tool: "subject " + o.Subject, Decision: audit.Deleted, Outcome: audit.Begun,
		Principal: auth.Principal{Tenant: o.Tenant, Method: commandLine}}
	if err := confirmed(ctx, log, e); err != nil {
		return fmt.Errorf("nothing was deleted: %w", err)
	}
	err = st.Forget(ctx, o)
	if e.Outcome = audit.OK; err != nil {
		e.Outcome, e.Detail = audit.Failed, "some of it may be left"
	}
	if err := errors.Join(err, confirmed(ctx, log, e)); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, "Deleted. The audit log keeps its entries, which hold no content.")
	return nil
}
