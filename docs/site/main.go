// Site makes a static, searchable site of the documentation, and the reference of pageside.yaml.
//
//	go run ./docs/site -out web/dist/docs   # what make docs does; the demo serves it at /docs
//	go run ./docs/site -fields              # renews docs/reference/fields.md from the schema
//
// The site needs no server: its links are relative, and its search runs in the browser.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	docs := flag.String("docs", "docs", "the folder with the documentation")
	out := flag.String("out", "", "the folder to write the site to; what is in it is removed")
	fields := flag.Bool("fields", false, "renew reference/fields.md instead")
	flag.Parse()
	if err := run(*docs, *out, *fields); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func run(docs, out string, fields bool) error {
	if fields {
		page, err := fieldReference(filepath.Join(docs, "reference", "pageside.schema.json"))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(docs, "reference", "fields.md"), page, 0o644)
	}
	if out == "" {
		return fmt.Errorf("-out is missing: the folder to write the site to")
	}
	s, err := read(os.DirFS(docs))
	if err != nil {
		return err
	}
	if err := s.write(out); err != nil {
		return err
	}
	fmt.Printf("%d pages of documentation in %s\n", len(s.pages), out)
	return nil
}
