package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// stdin is where a confirmation is read from.
var stdin io.Reader = os.Stdin

// runForget deletes everything of a person from a store that no server has open.
func runForget(ctx context.Context, args []string, env func(string) string, stdout io.Writer) error {
	var o store.Owner
	var file, address string
	flags := flag.NewFlagSet("pageside forget", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.Subject, "subject", "", "whose data to delete: the `subject` the server knows the person by")
	flags.StringVar(&o.Tenant, "tenant", "", "the person's `tenant`, if there are tenants")
	flags.StringVar(&file, "config", "", "the pageside.yaml `FILE` that names the store")
	flags.StringVar(&address, "store", "", "the store: sqlite:`FILE` (default sqlite:pageside.db)")
	dry := flags.Bool("dry-run", false, "only count what would be deleted")
	yes := flags.Bool("yes", false, "do not ask")
	if err := parse(flags, args, env, stdout); err != nil {
		return err
	}
	if o.Subject == "" {
		return fmt.Errorf("--subject is needed: whose data to delete: %w", errUsage)
	}
	address, err := existingStore(file, address)
	if err != nil {
		return err
	}
	st, err := sqlstore.Open(ctx, address)
	if err != nil {
		return fmt.Errorf("open the store %q, which must not be in use (a running server deletes with DELETE /v1/subjects/{subject}): %w", address, err)
	}
	return errors.Join(forget(ctx, st, o, *dry, *yes, stdout), st.Close())
}

// existingStore returns the address of a store that is there: opening another would make it.
func existingStore(file, address string) (string, error) {
	if file != "" && address == "" {
		source, err := config.Load(file)
		if err != nil {
			return "", err
		}
		return storeOf(source, "")
	}
	return storeOf(new(config.Source), address)
}

// storeOf returns the address of a store that is there: the given one, or that of a configuration.
func storeOf(source *config.Source, address string) (string, error) {
	address = cmp.Or(address, source.Store, "sqlite:pageside.db")
	path := strings.TrimPrefix(address, "sqlite:")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("open the store: %w", err)
	}
	return address, nil
}

func forget(ctx context.Context, st store.Store, o store.Owner, dry, yes bool, stdout io.Writer) error {
	h, err := st.Holdings(ctx, o)
	if err != nil {
		return err
	}
	who := fmt.Sprintf("%q", o.Subject)
	if o.Tenant != "" {
		who += fmt.Sprintf(" of tenant %q", o.Tenant)
	}
	fmt.Fprintf(stdout, "The store has of %s: %d threads, %d runs, %d tool calls, %d allowances, %d ratings, %d other rows.\n",
		who, h.Threads, h.Runs, h.ToolCalls, h.Allowances, h.Feedback, h.Other)
	if dry {
		fmt.Fprintln(stdout, "Nothing was deleted.")
		return nil
	}
	if !yes {
		fmt.Fprint(stdout, "Delete all of it for good? Type yes: ")
		answer, _ := bufio.NewReader(stdin).ReadString('\n') // the end of the input is no yes
		if strings.TrimSpace(answer) != "yes" {
			return errors.New("nothing was deleted: the answer was not yes (--yes does not ask)")
		}
	}
	if err := st.Forget(ctx, o); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "Deleted. The audit log keeps its entries, which hold no content.")
	return nil
}
