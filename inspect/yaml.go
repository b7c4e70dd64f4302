package inspect

import (
	"errors"
	"io"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// text is an arbitrary string. The library writes some strings so that it reads back something
// else: those with tabs, or with blanks at the beginning of a line. In double quotes it reads back
// what it has written.
type text string

// MarshalYAML implements yaml.Marshaler.
func (t text) MarshalYAML() (any, error) {
	valid := strings.ToValidUTF8(string(t), "\uFFFD") // or the library writes it as binary
	if !isOdd(valid) {
		return valid, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Tag: "!!str", Value: valid}, nil
}

func writeYAML(out io.Writer, doc any) error {
	enc := yaml.NewEncoder(out)
	enc.SetIndent(2)
	return errors.Join(enc.Encode(doc), enc.Close())
}

// isOdd reports whether a text is anything but lines of ordinary characters.
func isOdd(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, " ") {
			return true
		}
	}
	return strings.HasPrefix(text, "\n") || strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && !isPlain(r)
	})
}

// isPlain reports whether YAML can hold a character as it is.
func isPlain(r rune) bool {
	return r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Co, r)
}
