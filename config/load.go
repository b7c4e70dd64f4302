package config

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Source is a configuration that was read, ready for Build.
type Source struct {
	File
	Path  string
	lines map[string]int
	used  map[string]bool // files it refers to, by absolute path
	read  map[string]sum  // hashes of the files read, by path
}

func newSource(path string) *Source {
	return &Source{Path: path, lines: map[string]int{}, used: map[string]bool{}, read: map[string]sum{}}
}

// Load reads and checks a file. It returns Errors if the file is invalid.
func Load(path string) (*Source, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	s, err := Parse(path, raw)
	if err == nil {
		s.read[path] = sumOf(raw, nil)
	}
	return s, err
}

// sum is the hash of a file; the zero value stands for an unreadable one.
type sum [sha256.Size]byte

func sumOf(raw []byte, err error) sum {
	if err != nil {
		return sum{}
	}
	return sha256.Sum256(raw)
}

// changed reports whether any file that was read has different content now.
func (s *Source) changed() bool {
	for path, before := range s.read {
		if sumOf(os.ReadFile(path)) != before {
			return true
		}
	}
	return false
}

// Parse reads and checks the text of a file. Paths in it are relative to the folder of path.
func Parse(path string, raw []byte) (*Source, error) {
	s, problems, err := read(path, raw)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if name, ok := strings.CutPrefix(s.Store, sqliteScheme); ok {
		s.Store = sqliteScheme + s.besideFile(name)
	}
	return s, nil
}

// read reads the text of a file, and finds every problem that shows in it alone. The source has
// what could be read. The error is for text that is no YAML.
func read(path string, raw []byte) (*Source, Errors, error) {
	root, err := parseYAML(path, raw)
	if err != nil {
		return nil, nil, err
	}
	s := newSource(path)
	problems, err := s.decode(root)
	if err != nil {
		return nil, nil, err
	}
	problems = problems.with(s.check())
	sortByLine(problems)
	return s, problems, nil
}

// Diagnose returns all problems of a file at once: those that Load finds, and those that Build
// would find behind them. It reads files and opens models, but starts no MCP server.
func Diagnose(path string, o Options) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	s, problems, err := read(path, raw)
	if err != nil {
		return err
	}
	o.Look, o.Offline, o.Audit = true, true, false
	b := newBuilder(s, o, nil)
	b.problems = slices.Clone(problems)
	b.build(context.Background())
	_ = b.site.Close()
	problems = problems.with(b.problems[len(problems):])
	if len(problems) == 0 {
		return nil
	}
	sortByLine(problems)
	return problems
}

// error makes an Error about a field. A missing field gets the line of its parent.
func (s *Source) error(field, format string, args ...any) Error {
	return Error{File: s.Path, Line: s.line(field), Field: field, Reason: fmt.Sprintf(format, args...)}
}

func (s *Source) line(field string) int {
	for field != "" {
		if line, ok := s.lines[field]; ok {
			return line
		}
		field = parent(field)
	}
	return 0
}

// parent returns the path of the value that holds a field.
func parent(field string) string {
	for i := len(field) - 1; i >= 0; i-- {
		if field[i] == '.' || field[i] == '[' {
			return field[:i]
		}
	}
	return ""
}

// sources returns where the file's secrets and texts come from.
func (s *Source) sources(env func(string) string) sources {
	return sources{env: env, read: func(name string) ([]byte, error) {
		s.refersTo(name)
		path := s.besideFile(name)
		raw, err := os.ReadFile(path)
		s.read[path] = sumOf(raw, err)
		return raw, err
	}}
}

// besideFile resolves a path relative to the file's folder.
func (s *Source) besideFile(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(s.Path), path)
}

// refersTo records another file that this one refers to, so that Watch watches it.
func (s *Source) refersTo(path string) {
	if abs, err := filepath.Abs(s.besideFile(path)); err == nil {
		s.used[abs] = true
	}
}

// Files returns the file and, once it is built, those it refers to.
func (s *Source) Files() []string {
	files := []string{s.Path}
	for name := range s.used {
		files = append(files, name)
	}
	slices.Sort(files[1:])
	return files
}

// FromFile makes a source of values that come from no file. Its errors name only the field.
func FromFile(f File) (*Source, error) {
	root, err := nodeOf(f)
	if err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	s := newSource("configuration")
	problems, err := s.decode(root)
	if err != nil {
		return nil, err
	}
	s.File, s.lines = f, map[string]int{}
	if problems = problems.with(s.check()); len(problems) > 0 {
		return nil, problems
	}
	return s, nil
}

// nodeOf returns a file as it would be written.
func nodeOf(f File) (*yaml.Node, error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	root := new(yaml.Node)
	return root, root.Encode(doc)
}
