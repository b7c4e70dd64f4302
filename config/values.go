package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/lazy"
)

// Duration is a time span such as 30s, 10m or 24h.
type Duration time.Duration

// UnmarshalText parses a text as time.ParseDuration does. Negative durations are refused.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	*d, err = parseDuration(string(text))
	return err
}

// MarshalText returns the duration as it is written in a file.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func parseDuration(text string) (Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errDuration
	}
	return Duration(d), nil
}

var (
	errDuration = errors.New("must be a duration such as 30s, 10m or 24h")
	errObject   = errors.New("must be an object, or file:PATH")
)

// Text is a text, given literally or as file:PATH.
type Text string

// Object is a JSON object, given literally or as the string file:PATH.
type Object json.RawMessage

// UnmarshalJSON takes the value as it is.
func (o *Object) UnmarshalJSON(raw []byte) error { return (*json.RawMessage)(o).UnmarshalJSON(raw) }

// MarshalJSON returns the value as it is.
func (o Object) MarshalJSON() ([]byte, error) { return json.RawMessage(o).MarshalJSON() }

// Secret is a value that must not stand in the file: env:NAME, file:PATH, or text that contains
// ${env:NAME} or ${file:PATH}. Build resolves it; it prints as written.
type Secret string

var secretReference = lazy.Regexp(`\$\{(env|file):([^}]+)\}`)

// isReference reports whether the value refers to a secret kept elsewhere.
func (s Secret) isReference() bool {
	return strings.HasPrefix(string(s), "env:") || strings.HasPrefix(string(s), "file:") ||
		secretReference().MatchString(string(s))
}

// sources resolves the secrets and texts of a file.
type sources struct {
	env  func(string) string
	read func(path string) ([]byte, error) // relative to the file's folder
}

// secret resolves a value. parts are the secrets that it refers to, without what stands around
// them, as far as they can be resolved.
func (s sources) secret(v Secret) (text string, parts []string, failed error) {
	resolve := func(kind, name string) string {
		value, err := s.lookUp(kind, name)
		if failed = errors.Join(failed, err); err == nil {
			parts = append(parts, value)
		}
		return value
	}
	if kind, name, ok := strings.Cut(string(v), ":"); ok && (kind == "env" || kind == "file") {
		return resolve(kind, name), parts, failed
	}
	text = secretReference().ReplaceAllStringFunc(string(v), func(ref string) string {
		m := secretReference().FindStringSubmatch(ref)
		return resolve(m[1], m[2])
	})
	return text, parts, failed
}

func (s sources) lookUp(kind, name string) (string, error) {
	if kind == "env" {
		if v := s.env(name); v != "" {
			return v, nil
		}
		return "", fmt.Errorf("the environment variable %s is not set", name)
	}
	raw, err := s.read(name)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(raw)), nil
}

// text resolves a text that may live in a file.
func (s sources) text(t Text) (string, error) {
	path, ok := strings.CutPrefix(string(t), "file:")
	if !ok {
		return string(t), nil
	}
	raw, err := s.read(path)
	return string(raw), err
}

// object resolves an object that may live in a file.
func (s sources) object(o Object) (json.RawMessage, error) {
	if len(o) == 0 || o[0] == '{' {
		return json.RawMessage(o), nil
	}
	var name string
	if err := json.Unmarshal(o, &name); err != nil {
		return nil, err
	}
	raw, err := s.read(strings.TrimPrefix(name, "file:"))
	if err != nil {
		return nil, err
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return nil, fmt.Errorf("%s must hold one JSON object", name)
	}
	return raw, nil
}

// resolver reads the values of a file, and reports those that it cannot read.
type resolver struct {
	checker
	sources
	values []string // the secrets that the file refers to
}

func (r *resolver) textAt(field string, t Text) string {
	text, err := r.text(t)
	r.sound(field, err)
	return strings.TrimSpace(text)
}

func (r *resolver) objectAt(field string, o Object) json.RawMessage {
	raw, err := r.object(o)
	r.sound(field, err)
	return raw
}

func (r *resolver) secretAt(field string, s Secret) (value string, ok bool) {
	value, _, ok = r.resolve(field, s)
	return value, ok
}

// resolve is secret for a field.
func (r *resolver) resolve(field string, s Secret) (value string, parts []string, ok bool) {
	value, parts, err := r.secret(s)
	if ok = r.sound(field, err); ok {
		r.values = append(append(r.values, value), parts...)
	}
	return value, parts, ok
}

// keyAt resolves a secret that something is sealed with.
func (r *resolver) keyAt(field string, s Secret, least int) []byte {
	key, ok := r.secretAt(field, s)
	if ok && len(key) < least {
		r.fail(field, "must be at least %d bytes long", least)
	}
	return []byte(key)
}

// secretsAt resolves values, and returns what they refer to as well, without what stands around it.
// That has a stable order: builds of the same file compare equal.
func (r *resolver) secretsAt(field string, values map[string]Secret) (out map[string]string, referred []string) {
	out = map[string]string{}
	for _, name := range keys(values) {
		value, parts, _ := r.resolve(jsonPath(field, name), values[name])
		out[name], referred = value, append(referred, parts...)
	}
	return out, referred
}
