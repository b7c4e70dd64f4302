package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/strict"
)

// Source is a file that was read, with what is needed to build it and to say where something is
// wrong.
type Source struct {
	File
	Path  string
	lines map[string]int
	used  map[string]bool // files it refers to, by absolute path
	read  map[string]sum  // what was in the files that were read, by path
}

// Load reads a file. Its errors are Errors, or the one of reading it.
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

// sum stands for what is in a file, the zero value for one that cannot be read.
type sum [sha256.Size]byte

func sumOf(raw []byte, err error) sum {
	if err != nil {
		return sum{}
	}
	return sha256.Sum256(raw)
}

// changed reports whether a file that was read says something else by now.
func (s *Source) changed() bool {
	for path, before := range s.read {
		if sumOf(os.ReadFile(path)) != before {
			return true
		}
	}
	return false
}

// Parse reads the text of a file. Paths inside it are relative to the folder of path.
func Parse(path string, raw []byte) (*Source, error) {
	doc, err := parseYAML(path, raw)
	if err != nil {
		return nil, err
	}
	s := &Source{Path: path, lines: doc.lines, used: map[string]bool{}, read: map[string]sum{}}
	rest, unknown := s.prune(doc.json)
	if e, ok := errors.AsType[*strict.Error](strict.Decode(rest, &s.File)); ok {
		unknown = append(unknown, s.error(e.Field, "%s", s.howToWrite(e.Field, e.Reason)))
	}
	if len(unknown) > 0 {
		sortByLine(unknown)
		return nil, unknown
	}
	if problems := s.check(); len(problems) > 0 {
		return nil, problems
	}
	if name, ok := strings.CutPrefix(s.Store, sqliteScheme); ok {
		s.Store = sqliteScheme + s.besideFile(name)
	}
	return s, nil
}

// error says what is wrong with a field. A field that is not there stands where what holds it does.
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

// parent is the path of what holds a field.
func parent(field string) string {
	for i := len(field) - 1; i >= 0; i-- {
		if field[i] == '.' || field[i] == '[' {
			return field[:i]
		}
	}
	return ""
}

// sources are where the file's secrets and texts come from.
func (s *Source) sources(env func(string) string) sources {
	return sources{env: env, read: func(name string) ([]byte, error) {
		s.refersTo(name)
		path := s.besideFile(name)
		raw, err := os.ReadFile(path)
		s.read[path] = sumOf(raw, err)
		return raw, err
	}}
}

// besideFile is a path as the file means it: relative to the file's folder.
func (s *Source) besideFile(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(s.Path), path)
}

// refersTo remembers that the file refers to another one: when that changes, the file means
// something else.
func (s *Source) refersTo(path string) {
	if abs, err := filepath.Abs(s.besideFile(path)); err == nil {
		s.used[abs] = true
	}
}

// Files are the file and those that it refers to, as far as it was built.
func (s *Source) Files() []string {
	files := []string{s.Path}
	for name := range s.used {
		files = append(files, name)
	}
	slices.Sort(files[1:])
	return files
}

// FromFile makes a source of values that stand in no file. Errors name the field alone.
func FromFile(f File) (*Source, error) {
	s := &Source{File: f, Path: "configuration", lines: map[string]int{}, used: map[string]bool{}, read: map[string]sum{}}
	if problems := s.check(); len(problems) > 0 {
		return nil, problems
	}
	return s, nil
}
