package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed page.html style.css search.js
var assets embed.FS

var pageHTML = template.Must(template.New("page.html").ParseFS(assets, "page.html"))

// pageData is what page.html shows.
type pageData struct {
	Title, Root string
	Body        template.HTML
	Nav         []navSection
	Parts       []part
}

type navSection struct {
	Title string
	Links []navLink
}

type navLink struct {
	Title, URL string
	IsCurrent  bool
}

// write writes the site to a folder, which it empties first.
func (s *site) write(out string) error {
	if err := os.RemoveAll(out); err != nil {
		return fmt.Errorf("empty %s: %w", out, err)
	}
	for _, p := range s.pages {
		content, err := s.render(p)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(out, filepath.FromSlash(p.url())), content); err != nil {
			return err
		}
	}
	for _, name := range s.shown {
		if err := copyFile(s.files, name, filepath.Join(out, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	for _, name := range []string{"style.css", "search.js"} {
		if err := copyFile(assets, name, filepath.Join(out, name)); err != nil {
			return err
		}
	}
	return s.writeIndexes(out)
}

// writeIndexes writes what the search reads, and the first page once more as index.html.
func (s *site) writeIndexes(out string) error {
	type entry struct{ Title, URL, Page, Text string }
	var found []entry
	for _, p := range s.pages {
		for _, part := range p.parts {
			url := p.url()
			if part.ID != "" {
				url += "#" + part.ID
			}
			found = append(found, entry{part.Title, url, p.title, part.Text})
		}
	}
	index, err := json.Marshal(found)
	if err != nil {
		return fmt.Errorf("write the search's index: %w", err)
	}
	index = fmt.Appendf(nil, "searchIndex(%s);\n", index)
	if err := writeFile(filepath.Join(out, "search-index.js"), index); err != nil {
		return err
	}
	first := fmt.Sprintf("<!doctype html><meta charset=\"utf-8\"><title>Pageside</title><meta http-equiv=\"refresh\" content=\"0; url=%[1]s\"><a href=\"%[1]s\">Documentation</a>\n", s.pages[0].url())
	return writeFile(filepath.Join(out, "index.html"), []byte(first))
}

func (p *page) url() string { return strings.TrimSuffix(p.name, ".md") + ".html" }

func (s *site) render(p *page) ([]byte, error) {
	body, err := p.body()
	if err != nil {
		return nil, err
	}
	root := strings.Repeat("../", strings.Count(path.Clean(p.name), "/"))
	data := pageData{Title: p.title, Root: root, Body: body, Nav: s.nav(p, root)}
	if len(p.parts) > 2 {
		data.Parts = p.parts[1:]
	}
	var out bytes.Buffer
	if err := pageHTML.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("render %s: %w", p.name, err)
	}
	return out.Bytes(), nil
}

func (s *site) nav(current *page, root string) []navSection {
	var nav []navSection
	for _, p := range s.pages {
		if len(nav) == 0 || nav[len(nav)-1].Title != p.section {
			nav = append(nav, navSection{Title: p.section})
		}
		last := &nav[len(nav)-1]
		last.Links = append(last.Links, navLink{p.title, root + p.url(), p == current})
	}
	return nav
}

func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.WriteFile(name, content, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func copyFile(from fs.FS, name, to string) error {
	content, err := fs.ReadFile(from, name)
	if err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	return writeFile(to, content)
}
