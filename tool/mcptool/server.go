package mcptool

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/internal/upstream"
	"github.com/pageside/pageside/tool"
)

// Egress says what may be reached over HTTP. Where it names no hosts, the host of the server's URL
// is the only one; the URL's port is always among the ports. Its bounds of size and time are not
// used: a Server has its own.
type Egress = egress.Policy

// Server is an MCP server: a command that speaks over stdio, or a URL.
type Server struct {
	Name string // stands in front of its tools' names: letters, digits, - and single _, at most 32

	Command string   // looked up in PATH
	Args    []string //
	// added to PATH, HOME and a few others; nothing else of our environment is passed on
	Env map[string]string
	Dir string // the working directory; ours where it is empty

	URL     string            // of the streamable HTTP endpoint
	Headers map[string]string // sent with every request, to this host only
	Egress  Egress
	// Secrets are values that must never be shown: they are removed from everything the server
	// says. The values of Env and Headers need not be repeated here.
	Secrets []string

	// Meta names what the server is told of who asks and where, as tool.Call.Disclosed takes it: it
	// stands under MetaKey in _meta of each call. Empty is nothing.
	Meta []string
	// Bind sets arguments of tools, by the tool's name at the server: see tool.Tool. Connect fails
	// for a name that the server does not list.
	Bind map[string]map[string]tool.Source

	Allow   []string           // patterns of its tools' names, * being anything; empty is all
	Default Options            // for its tools
	Tools   map[string]Options // instead of Default, by name or pattern; the longest pattern counts

	// Pins are the hashes of the approved definitions by tool name, "sha256:…". Fingerprint makes
	// them, and the log names the hash of a definition that is not approved. Tools without a pin
	// are not offered. nil is no pins.
	Pins map[string]string
	// PinFile keeps the definitions that were approved by being the first ones seen. Servers may
	// share one. Without Pins and PinFile definitions are remembered while the process runs.
	PinFile string

	Required bool          // Connect fails where the server cannot be reached
	Timeout  time.Duration // of a call whose Options name none; 0 is tool.DefaultTimeout
	// for starting it, shaking hands and listing its tools; 0 is 60 s, more than 10 minutes is
	// refused
	ConnectTimeout time.Duration
	MaxBytes       int64 // of one message; 0 is 8 MiB
	// Logger takes what happens to the sessions and the approvals; nil is slog.Default().
	Logger *slog.Logger

	// how long calls wait while it starts, where that is less than startPatience; for tests
	patience time.Duration
	// how long it may leave our first question without an answer, where that is less than
	// discoverTimeout; for tests
	discovery time.Duration
	secrets   *strings.Replacer // made by check
}

// MetaKey is where a server's Meta stands in _meta of a call.
const MetaKey = "pageside/caller"

// Options are what the configuration says about a tool. A server's own annotations are ignored.
type Options struct {
	Effect tool.Effect // the zero value is tool.Write
	Policy tool.Policy
	// the type of the payload that the result's structured content becomes; "" is no payload
	PayloadType string
	Category    string
	Global      bool
}

// The bounds where a Server names none.
const (
	DefaultConnectTimeout = 60 * time.Second // npx downloads what it starts
	MaxConnectTimeout     = 10 * time.Minute
	DefaultMaxBytes       = 8 << 20
)

// answerTimeout bounds requests other than calls to a server that has been started. A server with a
// shorter ConnectTimeout has less.
const answerTimeout = 10 * time.Second

// startPatience is how long a call waits for a server that is being started, and how long our own
// start waits if it can do without. The server keeps starting after that.
const startPatience = 20 * time.Second

// discoverTimeout bounds the first question, in the protocol of 2026. A server that knows only an
// earlier one should refuse it, but may ignore it: then the handshake is that of 2025. It counts
// from the start, which may take long, so it is a part of ConnectTimeout.
const discoverTimeout = 15 * time.Second

func (s Server) discoverTimeout() time.Duration {
	return cmp.Or(s.discovery, min(discoverTimeout, s.ConnectTimeout/4))
}

func (s Server) startPatience() time.Duration { return cmp.Or(s.patience, startPatience) }

func (s Server) answerTimeout() time.Duration { return min(answerTimeout, s.ConnectTimeout) }

var serverName = lazy.Regexp(`^[a-zA-Z0-9-]+(_[a-zA-Z0-9-]+)*$`)

// check completes a server, or says which field cannot be used.
func (s Server) check() (Server, error) {
	switch {
	case len(s.Name) > 32 || !serverName().MatchString(s.Name):
		return s, errors.New("name: it is 1 to 32 letters, digits, - and single _ between them")
	case (s.Command == "") == (s.URL == ""):
		return s, errors.New("command: give either a command or a url")
	case s.URL == "" && len(s.Headers) > 0:
		return s, errors.New("headers: a command takes none")
	case s.Command == "" && (len(s.Args) > 0 || len(s.Env) > 0 || s.Dir != ""):
		return s, errors.New("args, env and dir: a url takes none")
	case s.Pins != nil && s.PinFile != "":
		return s, errors.New("pins: give either pins or a pinFile")
	case s.Timeout < 0 || s.ConnectTimeout < 0 || s.MaxBytes < 0:
		return s, errors.New("timeout, connectTimeout and maxBytes must not be negative")
	case s.ConnectTimeout > MaxConnectTimeout:
		return s, fmt.Errorf("connectTimeout: it is at most %v", MaxConnectTimeout)
	}
	s.ConnectTimeout = cmp.Or(s.ConnectTimeout, DefaultConnectTimeout)
	s.MaxBytes = cmp.Or(s.MaxBytes, DefaultMaxBytes)
	if err := tool.CheckDisclosed(s.Meta...); err != nil {
		return s, fmt.Errorf("meta: %w", err)
	}
	for name, hash := range s.Pins {
		if !hashPattern().MatchString(hash) {
			return s, fmt.Errorf("pins: %q of %q is not sha256: and 64 hexadecimal digits", hash, name)
		}
	}
	s.secrets = upstream.HeaderScrubber(s.Secrets, s.Headers, s.Env)
	return s, errors.Join(s.checkPatterns(), s.checkHeaders())
}

// target identifies a tool of the server. Credentials are left out: they change while the tool
// stays the same.
func (s Server) target(name string) string {
	parts := []any{s.URL, s.Command, s.Args, s.Dir, name}
	if len(s.Meta) > 0 {
		parts = append(parts, s.Meta)
	}
	return tool.TargetOf(parts...)
}

// host returns the host of a server behind an address. One that is a program gets "localhost".
func (s Server) host() string {
	u, err := url.Parse(s.URL)
	if s.URL == "" || err != nil {
		return "localhost"
	}
	return u.Host
}

func (s Server) checkPatterns() error {
	for _, p := range s.Allow {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("allow: %q is no pattern", p)
		}
	}
	for p := range s.Tools {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("tools: %q is no pattern", p)
		}
	}
	return nil
}

// checkHeaders refuses the headers of the protocol, too.
func (s Server) checkHeaders() error {
	own := []string{"Last-Event-Id"}
	for name := range s.Headers {
		if canonical := http.CanonicalHeaderKey(name); strings.HasPrefix(canonical, "Mcp-") {
			own = append(own, canonical)
		}
	}
	if err := upstream.CheckHeaders(s.Headers, own...); err != nil {
		return fmt.Errorf("headers: %w", err)
	}
	return nil
}

// guard makes the HTTP client's rules. The URL's host and port need not be configured again, but a
// private host must be allowed.
func (s Server) guard() (*egress.Guard, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("url: %w", upstream.ErrURL)
	}
	policy := s.Egress
	// streams stay open; calls and handshakes have their own bounds
	policy.Timeout = -1
	// of one response: a result, and what came before it on its stream
	policy.MaxBytes = 2 * s.MaxBytes
	guard, err := policy.GuardOf(u)
	if forbidden, ok := errors.AsType[*egress.Error](err); ok {
		return nil, fmt.Errorf("url: %w", forbidden)
	}
	if err != nil {
		return nil, fmt.Errorf("egress: %w", err)
	}
	return guard, nil
}

func (s Server) allows(name string) bool {
	return len(s.Allow) == 0 || slices.ContainsFunc(s.Allow, func(p string) bool { return matches(p, name) })
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// options returns the options for the tool's own name, for the longest pattern that fits, or the
// default.
func (s Server) options(name string) Options {
	o, own := s.Tools[name]
	if !own {
		o = s.Default
		longest := slices.SortedFunc(maps.Keys(s.Tools), func(a, b string) int {
			return cmp.Or(len(b)-len(a), strings.Compare(a, b))
		})
		if i := slices.IndexFunc(longest, func(p string) bool { return matches(p, name) }); i >= 0 {
			o = s.Tools[longest[i]]
		}
	}
	o.Policy.Timeout = cmp.Or(o.Policy.Timeout, s.Timeout)
	return o
}

// scrub removes the values of headers and environment variables, and Secrets, from a text.
func (s Server) scrub(text string) string { return s.secrets.Replace(text) }
