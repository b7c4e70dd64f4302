package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// mutant is one change of the code that a test must notice.
type mutant struct {
	name     string // area: what is broken
	file     string // relative to the module
	old, new string
	pkg      string // where the tests are, relative to the module
	tests    string // names of tests of which at least one must fail, with | between them
	sample   bool   // part of the sample for every day
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	only := flags.String("run", "", "only mutants whose names match this regular expression")
	sample := flags.Bool("sample", false, "only the sample")
	parallel := flags.Int("j", 2, "how many at a time")
	check := flags.Bool("check", false, "only check that each mutant still matches the code")
	if err := flags.Parse(args); err != nil {
		return err
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	chosen := slices.DeleteFunc(slices.Clone(mutants()), func(m mutant) bool { return !match.MatchString(m.name) || *sample && !m.sample })
	if len(chosen) == 0 {
		return fmt.Errorf("no mutant matches %q", *only)
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	if err := applyAll(root, chosen); err != nil || *check {
		return err
	}
	if err := control(ctx, root, chosen); err != nil {
		return err
	}
	return tryAll(ctx, root, chosen, max(*parallel, 1), out)
}

// applyAll returns what is wrong with mutants that do not match the code.
func applyAll(root string, chosen []mutant) error {
	var wrong []error
	for _, m := range chosen {
		_, err := m.apply(root)
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

// control runs the tests on the code as it is.
func control(ctx context.Context, root string, chosen []mutant) error {
	tests := map[string]map[string]bool{}
	for _, m := range chosen {
		if tests[m.pkg] == nil {
			tests[m.pkg] = map[string]bool{}
		}
		for name := range strings.SplitSeq(m.tests, "|") {
			tests[m.pkg][name] = true
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(tests)) {
		names := slices.Sorted(maps.Keys(tests[pkg]))
		output, err := goTest(ctx, root, "", pkg, strings.Join(names, "|"))
		if err != nil {
			return fmt.Errorf("the tests of %s fail without any mutant: %w\n%s", pkg, err, tail(output))
		}
	}
	return nil
}

// tryAll tries mutants, a few at a time, and says how each ended.
func tryAll(ctx context.Context, root string, chosen []mutant, parallel int, out io.Writer) error {
	var mu sync.Mutex
	var trying sync.WaitGroup
	var wrong []error
	done, slots := 0, make(chan struct{}, parallel)
	began := time.Now()
	for _, m := range chosen {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		trying.Go(func() {
			defer func() { <-slots }()
			start := time.Now()
			err := m.try(ctx, root)
			mu.Lock()
			defer mu.Unlock()
			verdict := "killed"
			if done++; err != nil {
				wrong, verdict = append(wrong, err), err.Error()
			}
			fmt.Fprintf(out, "%3d/%d %5.1f s  %s: %s\n", done, len(chosen), time.Since(start).Seconds(), m.name, verdict)
		})
	}
	trying.Wait()
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	fmt.Fprintf(out, "%d mutants, %d killed, %.0f s\n", len(chosen), len(chosen)-len(wrong), time.Since(began).Seconds())
	if len(wrong) > 0 {
		return fmt.Errorf("%d of %d mutants were not killed", len(wrong), len(chosen))
	}
	return nil
}
