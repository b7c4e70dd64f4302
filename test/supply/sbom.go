package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes the bill of materials of a binary, CycloneDX 1.6. It has neither a time nor a
// serial number: the same sources give the same file. The licences are those that licences found.
func writeSBOM(file string, p *parts) (string, error) {
	components, err := componentsOf(p)
	if err != nil {
		return "", fmt.Errorf("make the bill of materials: %w", err)
	}
	bom := cdx.NewBOM()
	bom.Components = &components
	bom.Metadata = &cdx.Metadata{
		Lifecycles: &[]cdx.Lifecycle{{Phase: cdx.LifecyclePhaseBuild}},
		Component:  product(p),
	}
	var text bytes.Buffer
	encoder := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true)
	if err := encoder.EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return "", fmt.Errorf("encode the bill of materials: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %d components (CycloneDX 1.6)", file, len(components)), nil
}

func componentsOf(p *parts) ([]cdx.Component, error) {
	version, _, _ := strings.Cut(strings.TrimPrefix(p.info.GoVersion, "go"), " ")
	standard := module{Path: "stdlib", Version: version, Licences: []string{"BSD-3-Clause"}}
	components := []cdx.Component{goComponent(standard)}
	for _, m := range p.modules {
		components = append(components, goComponent(m))
	}
	for _, n := range p.packages {
		c, err := npmComponent(n)
		if err != nil {
			return nil, err
		}
		components = append(components, c)
	}
	return components, nil
}

// product is the binary itself, with its hash: the list is about these bytes.
func product(p *parts) *cdx.Component {
	version := strings.Trim(p.info.Main.Version, "()")
	if version == "" {
		version = "devel"
	}
	c := goComponent(module{Path: p.info.Main.Path, Version: version, Licences: []string{"Apache-2.0"}})
	c.Type, c.Name = cdx.ComponentTypeApplication, "pageside"
	c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: p.digest}}
	return &c
}

func goComponent(m module) cdx.Component {
	// a package URL: its name in lower case, the plus of +incompatible escaped
	purl := "pkg:golang/" + strings.ToLower(m.Path) + "@" + url.QueryEscape(m.Version)
	var licences cdx.Licenses
	for _, id := range m.Licences {
		l := cdx.License{ID: id}
		if id == "SQLite" {
			l = cdx.License{Name: "SQLite Public Domain"}
		}
		licences = append(licences, cdx.LicenseChoice{License: &l})
	}
	c := cdx.Component{
		Type: cdx.ComponentTypeLibrary, BOMRef: purl, Name: m.Path, Version: m.Version, PackageURL: purl,
		Licenses: &licences,
	}
	if m.Sum != "" { // the hash of a list of hashes, which Hashes is not for
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
	}
	return c
}

func npmComponent(n npmPackage) (cdx.Component, error) {
	purl := "pkg:npm/" + strings.Replace(n.Name, "@", "%40", 1) + "@" + n.Version
	algorithm, encoded, _ := strings.Cut(n.Integrity, "-")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || algorithm != "sha512" {
		return cdx.Component{}, fmt.Errorf("npm package %s: integrity %q is no SHA-512", n.Name, n.Integrity)
	}
	licence := cdx.LicenseChoice{Expression: n.License}
	if slices.Contains(allowedLicences, n.License) {
		licence = cdx.LicenseChoice{License: &cdx.License{ID: n.License}}
	}
	return cdx.Component{
		Type: cdx.ComponentTypeLibrary, BOMRef: purl, Name: n.Name, Version: n.Version, PackageURL: purl,
		Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA512, Value: hex.EncodeToString(sum)}},
		Licenses: &cdx.Licenses{licence},
	}, nil
}

// digestOf returns the SHA-256 of a file, as hex.
func digestOf(file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}
