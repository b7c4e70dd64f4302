package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pageside/pageside/test/must"
)

func TestPerformTellsEachCheckAndWhetherOneFailed(t *testing.T) {
	good := check{"one", func() (string, error) { return "fine", nil }}
	bad := check{"two", func() (string, error) { return "", errors.New("broken") }}
	var out bytes.Buffer
	if perform(&out, []check{bad, good}) {
		t.Error("a check failed, and all passed")
	}
	if want := "  FAIL  two                broken\n  ok    one                fine\n"; out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}
	if !perform(&out, []check{good}) {
		t.Error("the only check passed, and not all did")
	}
}

func TestOnlyTheChecksThatAreNamed(t *testing.T) {
	all := []check{{name: "one"}, {name: "two"}, {name: "three"}}
	for only, want := range map[string]int{"": 3, "two": 1, "three,one": 2} {
		if got, err := named(all, only); err != nil || len(got) != want {
			t.Errorf("-only %q: %d checks, %v; want %d", only, len(got), err, want)
		}
	}
	must.Fail(t, must.Err(named(all, "one,four")), `"four"`, "an unknown name")
}

const (
	mit = "The MIT License\nPermission is hereby granted, free of charge, to any person obtaining a copy\nof this software […]\n" +
		"The above copyright notice and this permission notice shall be included in all\ncopies or substantial portions of the Software."
	bsd = "Redistribution and use in source and binary forms, with or without\nmodification, are permitted provided that […]"
	gpl = "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007"
)

func TestClassify(t *testing.T) {
	for text, want := range map[string][]string{
		mit: {"MIT"},
		bsd: {"BSD-2-Clause"},
		bsd + "may be used to endorse or\n    promote products derived from this software": {"BSD-3-Clause"},
		"// " + strings.ReplaceAll(mit, "\n", "\n// "):                                     {"MIT"},
		"Apache License\n   Version 2.0, January 2004":                                     {"Apache-2.0"},
		mit + "\n" + gpl: {"GPL", "MIT"},
		"Permission to use, copy, modify, and/or distribute this software for any\npurpose with or without fee is hereby granted, provided that the above": {"ISC"},
		"Mozilla Public License Version 2.0\n“Secondary License” means either the GNU General Public License, Version 2.0, […]":                            {"MPL-2.0"},
		"All rights reserved.": nil,
	} {
		if got := classify(text); !slices.Equal(got, want) {
			t.Errorf("%.60q… is %v, want %v", text, got, want)
		}
	}
}

func TestLicencesOfAModule(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string // of the error
	}{
		"allowed":              {files: map[string]string{"LICENSE": mit, "LICENSE-THIRD-PARTY.md": bsd, "README.md": gpl}},
		"none":                 {files: map[string]string{"README.md": mit}, want: "example.com/m@v1.0.0 has no licence"},
		"one that is unknown":  {files: map[string]string{"LICENSE": mit, "COPYING.txt": "Ask the author."}, want: "COPYING.txt has no licence that is known"},
		"one that is not ours": {files: map[string]string{"LICENSE": mit, "LICENSE-DATA": gpl}, want: "licence GPL is not on the list"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range test.files {
				write(t, filepath.Join(dir, file), text)
			}
			_, err := licences(&parts{modules: []module{{Path: "example.com/m", Version: "v1.0.0", Dir: dir}}})
			wantError(t, err, test.want)
		})
	}
}

func TestLicencesOfNPMPackages(t *testing.T) {
	for expression, want := range map[string]string{
		"MIT":                   "",
		"(GPL-3.0-only OR MIT)": "",
		"MIT AND Apache-2.0":    "",
		"MIT AND GPL-3.0-only":  "n@1.0.0: licence GPL-3.0-only is not on the list",
		"":                      "n@1.0.0 has no licence",
		"UNLICENSED":            "licence UNLICENSED is not on the list",
	} {
		_, err := licences(&parts{packages: []npmPackage{{Name: "n", Version: "1.0.0", License: expression}}})
		wantError(t, err, want)
	}
}

const lock = `{"packages": {
	"": {"devDependencies": {"vite": "*"}},
	"packages/one": {"name": "@pageside/one", "dependencies": {"a": "1", "@pageside/two": "*"}, "peerDependencies": {"peer": "*"}},
	"packages/two": {"name": "@pageside/two", "dependencies": {"b": "2"}},
	"tests": {"dependencies": {"oracle": "*"}},
	"node_modules/@pageside/two": {"resolved": "packages/two", "link": true},
	"node_modules/a": {"version": "1.0.0", "dependencies": {"b": "1"}},
	"node_modules/a/node_modules/b": {"version": "1.5.0", "dependencies": {"a": "1"}},
	"node_modules/b": {"version": "2.0.0"},
	"node_modules/oracle": {"version": "1.0.0"}, "node_modules/peer": {"version": "1.0.0"}, "node_modules/vite": {"version": "1.0.0"}
}}`

func TestShippedIsWhatOurPackagesNeed(t *testing.T) {
	found := must.Get(shipped(strings.NewReader(lock)))(t)
	var got []string
	for _, p := range found {
		got = append(got, p.Name+"@"+p.Version)
	}
	if want := []string{"a@1.0.0", "b@1.5.0", "b@2.0.0"}; !slices.Equal(got, want) {
		t.Errorf("shipped are %v, want %v", got, want)
	}
	_, err := shipped(strings.NewReader(`{"packages": {"apps/page": {"dependencies": {"gone": "1"}}}}`))
	wantError(t, err, "apps/page needs gone, which is not there")
}

func TestCountHoldsTheLimits(t *testing.T) {
	_, err := count(&parts{directGo: maxDirectGo, packages: make([]npmPackage, maxNPM)})
	wantError(t, err, "")
	_, err = count(&parts{directGo: maxDirectGo + 1})
	wantError(t, err, "too many: Go: 41 direct of 40")
	_, err = count(&parts{packages: make([]npmPackage, maxNPM+1)})
	wantError(t, err, "npm: 26 of 25")
}

// sample has one of everything that a bill of materials can show.
func sample() *parts {
	return &parts{
		info:   &debug.BuildInfo{GoVersion: "go1.26.8 X:nodwarf5", Main: debug.Module{Path: "github.com/pageside/pageside", Version: "(devel)"}},
		digest: strings.Repeat("0a", 32),
		modules: []module{
			{Path: "github.com/BurntSushi/toml", Version: "v1.4.0+incompatible", Sum: "h1:abc=", Licences: []string{"MIT"}},
			{Path: "modernc.org/sqlite", Version: "v1.60.1", Sum: "h1:def=", Licences: []string{"BSD-3-Clause", "SQLite"}},
		},
		packages: []npmPackage{
			{Name: "@ag-ui/core", Version: "1.0.0", License: "MIT", Integrity: "sha512-" + strings.Repeat("AAAA", 21) + "AA=="},
			{Name: "b", Version: "2.0.0", License: "(MIT OR Apache-2.0)", Integrity: "sha512-" + strings.Repeat("BBBB", 21) + "BB=="},
		},
	}
}

// TestSBOM checks the file against what CycloneDX 1.6 asks of the fields that we write; the schema
// in testdata refuses all others, as the original does.
func TestSBOM(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "bom.json")
	said := must.Get(writeSBOM(file, sample()))(t)
	if want := file + ": 5 components (CycloneDX 1.6)"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
	text := contentOf(t, file)
	document := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(text)))(t)
	schema := must.Get(jsonschema.NewCompiler().Compile("testdata/bom-1.6.subset.schema.json"))(t)
	if err := schema.Validate(document); err != nil {
		t.Error(err)
	}
	checkComponents(t, text)
	if _, err := writeSBOM(file, sample()); err != nil || !bytes.Equal(contentOf(t, file), text) {
		t.Errorf("the same parts give another file (%v)", err)
	}
}

func checkComponents(t *testing.T, text []byte) {
	var b cdx.BOM
	must.Do(t, cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&b))
	var got []string
	for _, c := range *b.Components {
		got = append(got, c.PackageURL)
	}
	want := []string{
		"pkg:golang/stdlib@1.26.8", "pkg:golang/github.com/burntsushi/toml@v1.4.0%2Bincompatible", "pkg:golang/modernc.org/sqlite@v1.60.1",
		"pkg:npm/%40ag-ui/core@1.0.0", "pkg:npm/b@2.0.0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("components are %v, want %v", got, want)
	}
	main := b.Metadata.Component
	if main.Version != "devel" || !reflect.DeepEqual(main.Hashes, &[]cdx.Hash{{Algorithm: "SHA-256", Value: strings.Repeat("0a", 32)}}) {
		t.Errorf("it is about %+v, which is not the binary", main)
	}
}

func TestSBOMRefusesAWeakHash(t *testing.T) {
	p := sample()
	p.packages[0].Integrity = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="
	_, err := writeSBOM(filepath.Join(t.TempDir(), "bom.json"), p)
	wantError(t, err, `npm package @ag-ui/core: integrity "sha1-`)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
}

func contentOf(t *testing.T, file string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(file))(t)
}

// wantError checks an error by a part of what it says; "" means none.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case err == nil && want != "":
		t.Errorf("no error, want %q", want)
	case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
		t.Errorf("error %q, want %q", err, want)
	}
}
