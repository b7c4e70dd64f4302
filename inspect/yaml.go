package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// text is an arbitrary string. The library writes some strings so that it reads back something
// else: those with tabs, or with blanks at the beginning of a line. It writes placeholders for
// them, which writeYAML replaces.
type text string

// MarshalYAML implements yaml.Marshaler.
func (t text) MarshalYAML() (any, error) {
	valid := strings.ToValidUTF8(string(t), "\uFFFD") // or the library writes it as binary
	if !isOdd(valid) {
		return valid, nil
	}
	return fmt.Sprintf("\ue000%x\ue001", valid), nil
}

// placeholders use characters that no text is written with: those are odd.
var placeholders = regexp.MustCompile("\ue000([0-9a-f]*)\ue001")

func writeYAML(out io.Writer, doc any) error {
	var written bytes.Buffer
	enc := yaml.NewEncoder(&written)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(doc), enc.Close()); err != nil {
		return err
	}
	_, err := out.Write(placeholders.ReplaceAllFunc(written.Bytes(), func(found []byte) []byte {
		var value []byte
		// as it was written
		_, _ = fmt.Sscanf(string(placeholders.FindSubmatch(found)[1]), "%x", &value)
		return []byte(quoted(string(value)))
	}))
	return err
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

// quoted writes a text in YAML's double quotes (YAML 1.2, 5.7 and 7.3.1), all but ordinary
// characters escaped.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case isPlain(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
