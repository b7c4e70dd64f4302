// Supply checks what the binary is made of, one line for each check:
//
//	go run ./test/supply -binary bin/pageside -build "-trimpath -ldflags=-s" -sbom bin/bom.json
//
// It asks govulncheck for known vulnerabilities that the code reaches, where GOVULNDB names a
// database; reads the licences of all that is shipped; writes a bill of materials (CycloneDX 1.6);
// builds twice and compares; and holds the limits on size and on the number of dependencies.
// -only names the checks to run, for binaries of other systems: -only "licences,bill of materials".
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// options are what the command line says.
type options struct {
	binary string
	build  string
	sbom   string
	vulnDB string
	only   string
}

// check is one line of the output. What it returns is printed behind its name.
type check struct {
	name string
	run  func() (string, error)
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/pageside", "the built server")
	flag.StringVar(&o.build, "build", "", "the flags it was built with")
	flag.StringVar(&o.sbom, "sbom", "bin/pageside.cdx.json", "where the bill of materials goes")
	flag.StringVar(&o.vulnDB, "vulndb", os.Getenv("GOVULNDB"), "the vulnerability database, file://… or https://…")
	flag.StringVar(&o.only, "only", "", "the names of the checks to run, with commas between them; all of them without it")
	flag.Parse()
	checks, err := all(o)
	if err == nil {
		checks, err = named(checks, o.only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "supply:", err)
		os.Exit(1)
	}
	if !perform(os.Stdout, checks) {
		os.Exit(1)
	}
}

// named returns the checks with these names, or all.
func named(checks []check, only string) ([]check, error) {
	if only == "" {
		return checks, nil
	}
	names := strings.Split(only, ",")
	for _, name := range names {
		if !slices.ContainsFunc(checks, func(c check) bool { return c.name == name }) {
			return nil, fmt.Errorf("-only: there is no check %q", name)
		}
	}
	return slices.DeleteFunc(slices.Clone(checks), func(c check) bool { return !slices.Contains(names, c.name) }), nil
}

// all reads what several checks need, and returns them in the order in which they run.
func all(o options) ([]check, error) {
	parts, err := read(o.binary)
	if err != nil {
		return nil, err
	}
	return []check{
		{"vulnerabilities", func() (string, error) { return vulnerabilities(o.vulnDB, ".", "./cmd/pageside") }},
		{"licences", func() (string, error) { return licences(parts) }},
		{"dependencies", func() (string, error) { return count(parts) }},
		{"bill of materials", func() (string, error) { return writeSBOM(o.sbom, parts) }},
		{"static binary", func() (string, error) { return static(o.binary) }},
		{"same build twice", func() (string, error) { return reproducible(".", "./cmd/pageside", strings.Fields(o.build)) }},
	}, nil
}

// perform runs the checks and reports whether all of them passed.
func perform(out io.Writer, checks []check) bool {
	passed := true
	for _, c := range checks {
		said, err := c.run()
		verdict := "ok"
		if err != nil {
			verdict, said, passed = "FAIL", err.Error(), false
		}
		fmt.Fprintf(out, "  %-5s %-18s %s\n", verdict, c.name, said)
	}
	return passed
}
