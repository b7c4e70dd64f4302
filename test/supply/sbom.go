package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bom is a bill of materials, CycloneDX 1.6. It has neither a time nor a serial number: the same
// sources give the same file.
type bom struct {
	Schema      string      `json:"$schema"`
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    bomMetadata `json:"metadata"`
	Components  []component `json:"components"`
}

type bomMetadata struct {
	Lifecycles []lifecycle `json:"lifecycles"`
	Component  component   `json:"component"`
}

type lifecycle struct {
	Phase string `json:"phase"`
}

type component struct {
	Type       string          `json:"type"`
	Ref        string          `json:"bom-ref"`
	Name       string          `json:"name"`
	Version    string          `json:"version"`
	Hashes     []bomHash       `json:"hashes,omitempty"`
	Licences   []licenceChoice `json:"licenses,omitempty"`
	PURL       string          `json:"purl"`
	Properties []property      `json:"properties,omitempty"`
}

type bomHash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// licenceChoice is either a licence or an SPDX expression.
type licenceChoice struct {
	Licence    *bomLicence `json:"license,omitempty"`
	Expression string      `json:"expression,omitempty"`
}

// bomLicence has the SPDX identifier, or a name where there is none.
type bomLicence struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// writeSBOM writes the bill of materials of a binary. The licences are those that licences found.
func writeSBOM(file string, p *parts) (string, error) {
	made, err := describe(p)
	if err != nil {
		return "", fmt.Errorf("make the bill of materials: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the bill of materials: %w", err)
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %d components (CycloneDX 1.6)", file, len(made.Components)), nil
}

func describe(p *parts) (*bom, error) {
	components := []component{standardLibrary(p.info.GoVersion)}
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
	return &bom{
		Schema:      "http://cyclonedx.org/schema/bom-1.6.schema.json",
		Format:      "CycloneDX",
		SpecVersion: "1.6",
		Version:     1,
		Metadata:    bomMetadata{Lifecycles: []lifecycle{{Phase: "build"}}, Component: product(p)},
		Components:  components,
	}, nil
}

// product is the binary itself, with its hash: the list is about these bytes.
func product(p *parts) component {
	version := strings.Trim(p.info.Main.Version, "()")
	if version == "" {
		version = "devel"
	}
	purl := golangURL(p.info.Main.Path, version)
	return component{
		Type: "application", Ref: purl, Name: "pageside", Version: version, PURL: purl,
		Hashes:   []bomHash{{"SHA-256", p.digest}},
		Licences: []licenceChoice{{Licence: &bomLicence{ID: "Apache-2.0"}}},
	}
}

func standardLibrary(goVersion string) component {
	version, _, _ := strings.Cut(strings.TrimPrefix(goVersion, "go"), " ")
	purl := golangURL("stdlib", version)
	return component{
		Type: "library", Ref: purl, Name: "stdlib", Version: version, PURL: purl,
		Licences: []licenceChoice{{Licence: &bomLicence{ID: "BSD-3-Clause"}}},
	}
}

func goComponent(m module) component {
	purl := golangURL(m.Path, m.Version)
	c := component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, PURL: purl}
	for _, id := range m.Licences {
		l := &bomLicence{ID: id}
		if id == "SQLite" {
			l = &bomLicence{Name: "SQLite Public Domain"}
		}
		c.Licences = append(c.Licences, licenceChoice{Licence: l})
	}
	// What go.sum has is the hash of a list of hashes, which "hashes" is not for.
	c.Properties = []property{{"go:sum", m.Sum}}
	return c
}

func npmComponent(n npmPackage) (component, error) {
	purl := "pkg:npm/" + strings.Replace(n.Name, "@", "%40", 1) + "@" + n.Version
	algorithm, encoded, _ := strings.Cut(n.Integrity, "-")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || algorithm != "sha512" {
		return component{}, fmt.Errorf("npm package %s: integrity %q is no SHA-512", n.Name, n.Integrity)
	}
	return component{
		Type: "library", Ref: purl, Name: n.Name, Version: n.Version, PURL: purl,
		Hashes:   []bomHash{{"SHA-512", hex.EncodeToString(sum)}},
		Licences: npmLicences(n.License),
	}, nil
}

func npmLicences(expression string) []licenceChoice {
	if slices.Contains(allowedLicences, expression) {
		return []licenceChoice{{Licence: &bomLicence{ID: expression}}}
	}
	return []licenceChoice{{Expression: expression}}
}

// golangURL is a package URL: its name in lower case, the plus of +incompatible escaped.
func golangURL(name, version string) string {
	return "pkg:golang/" + strings.ToLower(name) + "@" + url.QueryEscape(version)
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
