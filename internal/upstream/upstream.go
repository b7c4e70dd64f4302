// Package upstream is what the packages that call other servers share: HTTP tools, MCP servers and
// remote agents. It checks the headers they are configured with, and keeps secrets out of what the
// other side says.
package upstream

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/lazy"
)

// tokenChars are what a header name consists of (RFC 9110, section 5.6.2).
const tokenChars = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// CheckHeaderName refuses what is no header name, and the names that the server sets itself, in
// canonical form.
func CheckHeaderName(name string, own []string) error {
	if name == "" || strings.Trim(name, tokenChars) != "" {
		return fmt.Errorf("%q is no header name", name)
	}
	if canonical := http.CanonicalHeaderKey(name); slices.Contains(own, canonical) {
		return fmt.Errorf("%s is set by the server itself", canonical)
	}
	return nil
}

// CheckHeaderValue refuses values that would end the header.
func CheckHeaderValue(name, value string) error {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("the value of %s has a line break or control character", http.CanonicalHeaderKey(name))
	}
	return nil
}

// transport are the headers that belong to a request whose answer streams, in canonical form.
var transport = []string{
	"Host", "Content-Length", "Content-Type", "Accept", "Accept-Encoding", "Transfer-Encoding", "Connection", "Te",
	"Trailer", "Upgrade", "Proxy-Authorization",
}

// CheckHeaders checks the headers of requests whose answers stream. Neither those of the transport
// may be among them, nor own ones.
func CheckHeaders(headers map[string]string, own ...string) error {
	reserved := slices.Concat(own, transport)
	for name, value := range headers {
		if err := cmp.Or(CheckHeaderName(name, reserved), CheckHeaderValue(name, value)); err != nil {
			return err
		}
	}
	return nil
}

// Host returns where an address leads, for people; "" if it cannot be read.
func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// ErrURL is for a URL that cannot be read. The parser's own error repeats the URL, which may hold a
// password.
var ErrURL = errors.New("it cannot be read")

// WithTokens returns a header's value, and the part that may come back alone: what follows the
// scheme in "Bearer …".
func WithTokens(value string) []string {
	if _, token, ok := strings.Cut(value, " "); ok {
		return []string{value, token}
	}
	return []string{value}
}

// Scrubber removes secrets from texts, in each of the spellings that JSON has for them. Secrets of
// fewer than least bytes are left: they occur in any text.
func Scrubber(least int, secrets []string) *strings.Replacer {
	// the longest first: it may contain another
	secrets = slices.SortedStableFunc(slices.Values(secrets), func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range secrets {
		if len(s) < least {
			continue
		}
		for _, form := range jsonx.Spellings(s) {
			pairs = append(pairs, form, "***")
		}
	}
	return strings.NewReplacer(pairs...)
}

// Sensitive matches the names of headers, fields and variables that hold secrets.
var Sensitive = lazy.Regexp(`(?i)auth|key|token|secret|cookie|password|credential`)

// minSecret is the shortest value of a header that counts as a secret.
const minSecret = 8

// HeaderScrubber is Scrubber for secrets and the values of all headers and environments, of 8 bytes
// and more.
func HeaderScrubber(secrets []string, headers ...map[string]string) *strings.Replacer {
	secrets = slices.Clone(secrets)
	for _, values := range headers {
		for _, value := range values {
			secrets = append(secrets, WithTokens(value)...)
		}
	}
	return Scrubber(minSecret, secrets)
}
