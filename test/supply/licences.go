package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// allowedLicences may be in what we ship: they ask for their notice to be kept, or for nothing.
// MPL-2.0 covers single files, and asks for their source only; nobody may change one of its modules
// here without saying so, and modules are taken unchanged.
var allowedLicences = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "MPL-2.0",
	"OFL-1.1", "SQLite", "Unlicense", "Zlib",
}

// notLicences are files that look like licences, with the reason why they do not count.
var notLicences = map[string]string{
	"modernc.org/memory LICENSE-LOGO": "where the picture on the project's page is from",
}

// licence is known by what its text always has, in lower case and with single spaces.
type licence struct {
	id   string
	has  string
	also string
	not  string
}

// The last ones are not allowed: they are here so that they are not missed in a file that has an
// allowed one, too.
var known = []licence{
	{id: "Apache-2.0", has: "apache license version 2.0, january 2004"},
	{id: "Apache-2.0", has: "licensed under the apache license, version 2.0"},
	{id: "MIT", has: "permission is hereby granted, free of charge, to any person obtaining a copy", also: "permission notice shall be included in all copies"},
	{id: "MIT-0", has: "permission is hereby granted, free of charge, to any person obtaining a copy", not: "shall be included in all copies"},
	{id: "ISC", has: "to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that"},
	{id: "ISC", has: "to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted, provided that"},
	{id: "0BSD", has: "distribute this software for any purpose with or without fee is hereby granted. the software"},
	{id: "BSD-3-Clause", has: "redistribution and use in source and binary forms, with or without modification, are permitted", also: "used to endorse or promote products derived from"},
	{id: "BSD-2-Clause", has: "redistribution and use in source and binary forms, with or without modification, are permitted", not: "used to endorse or promote products derived from"},
	{id: "MPL-2.0", has: "mozilla public license version 2.0"},
	{id: "MPL-2.0", has: "mozilla public license, version 2.0"},
	{id: "CC0-1.0", has: "cc0 1.0 universal"},
	{id: "Unlicense", has: "this is free and unencumbered software released into the public domain"},
	{id: "Zlib", has: "in no event will the authors be held liable for any damages arising from the use of this software"},
	{id: "BlueOak-1.0.0", has: "blue oak model license version 1.0.0"},
	{id: "OFL-1.1", has: "sil open font license version 1.1"},
	{id: "SQLite", has: "all of the code and documentation in sqlite has been dedicated to the public domain"},
	{id: "GPL", has: "gnu general public license version"},
	{id: "GPL", has: "terms of the gnu general public license"},
	{id: "LGPL", has: "gnu lesser general public license version"},
	{id: "LGPL", has: "terms of the gnu lesser general public license"},
	{id: "AGPL", has: "gnu affero general public license version"},
	{id: "AGPL", has: "terms of the gnu affero general public license"},
	{id: "EPL", has: "eclipse public license"},
	{id: "SSPL", has: "server side public license"},
	{id: "BUSL", has: "business source license"},
	{id: "Commons Clause", has: "commons clause"},
	{id: "Elastic", has: "elastic license"},
	{id: "PolyForm", has: "polyform"},
	{id: "CC-BY-NC", has: "attribution-noncommercial"},
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|unlicense)([-._].*)?$`)
	// Comment marks, headings and box drawing that some files put around the text.
	decoration = regexp.MustCompile("(?m)^[ \\t]*(//|[#*>|;])+|[=*_`]{2,}")
)

// licences reads the licences of everything that is shipped, and fails where one is missing, not
// known or not allowed.
func licences(p *parts) (string, error) {
	var wrong []error
	tally := map[string]int{}
	for i := range p.modules {
		m := &p.modules[i]
		ids, err := licencesIn(m.Path, m.Dir)
		m.Licences = ids
		wrong = append(wrong, err, permitted(m.Path+"@"+m.Version, ids))
		tally[strings.Join(ids, " and ")]++
	}
	for _, n := range p.packages {
		wrong = append(wrong, permittedExpression(n.Name+"@"+n.Version, n.License))
		tally[n.License]++
	}
	if err := errors.Join(wrong...); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d modules, %d npm packages: %s", len(p.modules), len(p.packages), listed(tally)), nil
}

// listed is a tally as text, most first.
func listed(tally map[string]int) string {
	names := slices.SortedFunc(maps.Keys(tally), func(a, b string) int {
		return cmp.Or(tally[b]-tally[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, tally[name])
	}
	return strings.Join(names, ", ")
}

// licencesIn returns the licences that the files of a module's folder hold. A file in which none is
// found is an error: it may hold one we do not know.
func licencesIn(name, dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the licences of %s: %w", name, err)
	}
	var ids []string
	for _, entry := range entries {
		if entry.IsDir() || !licenceFile.MatchString(entry.Name()) || notLicences[name+" "+entry.Name()] != "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the licences of %s: %w", name, err)
		}
		found := classify(string(text))
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: %s has no licence that is known here", name, entry.Name())
		}
		ids = append(ids, found...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// classify returns the licences of a text, sorted.
func classify(text string) []string {
	text = strings.ToLower(decoration.ReplaceAllString(text, " "))
	text = strings.Join(strings.Fields(strings.NewReplacer("“", `"`, "”", `"`, "’", "'").Replace(text)), " ")
	text = strings.ReplaceAll(text, "version 2.0 january", "version 2.0, january")
	found := map[string]bool{}
	for _, l := range known {
		if strings.Contains(text, l.has) && strings.Contains(text, l.also) && (l.not == "" || !strings.Contains(text, l.not)) {
			found[l.id] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// permitted checks licences that hold together.
func permitted(name string, ids []string) error {
	if len(ids) == 0 {
		return fmt.Errorf("%s has no licence", name)
	}
	for _, id := range ids {
		if !slices.Contains(allowedLicences, id) {
			return fmt.Errorf("%s: licence %s is not on the list (test/supply/licences.go)", name, id)
		}
	}
	return nil
}

// permittedExpression is permitted for an SPDX expression of AND and OR, as package.json has it:
// one side of an OR is enough.
func permittedExpression(name, expression string) error {
	var err error
	for either := range strings.SplitSeq(strings.Trim(expression, "()"), " OR ") {
		err = permitted(name, slices.DeleteFunc(strings.Split(either, " AND "), func(id string) bool { return id == "" }))
		if err == nil {
			return nil
		}
	}
	return err
}
