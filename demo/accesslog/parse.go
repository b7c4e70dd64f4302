package accesslog

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Event is one request of the log. Empty strings and nil pointers are values that the log omits or
// writes as "-".
type Event struct {
	Line      int64 // number of the line, from 1
	Time      time.Time
	ClientIP  string
	User      string
	Method    string
	Path      string
	Query     string
	Protocol  string
	Status    *int64
	Bytes     *int64
	Referrer  string
	UserAgent string
	Browser   string // family of UserAgent
	Raw       string // the whole line
}

const timeLayout = "02/Jan/2006:15:04:05 -0700"

// ParseLine reads one line of a common or combined log.
func ParseLine(line string) (Event, error) {
	e := Event{Raw: line}
	head, rest, ok := strings.Cut(line, " [")
	if !ok {
		return e, errors.New("no time in [brackets]")
	}
	if err := e.parseClient(head); err != nil {
		return e, err
	}
	stamp, rest, ok := strings.Cut(rest, "] ")
	if !ok {
		return e, errors.New("the time has no closing bracket")
	}
	var err error
	if e.Time, err = time.Parse(timeLayout, stamp); err != nil {
		return e, fmt.Errorf("%q is no time like 17/May/2015:10:05:03 +0000", clip(stamp))
	}
	request, rest, err := quoted(rest)
	if err != nil {
		return e, fmt.Errorf("request: %w", err)
	}
	e.parseRequest(request)
	if rest, err = e.parseNumbers(rest); err != nil || rest == "" {
		return e, err
	}
	return e, e.parseCombined(rest)
}

// parseClient reads "[vhost] client ident user"; a user name may contain spaces.
func (e *Event) parseClient(head string) error {
	fields := strings.SplitN(head, " ", 5)
	if len(fields) >= 4 {
		if _, err := netip.ParseAddr(fields[1]); err == nil {
			head = head[len(fields[0])+1:]
		}
	}
	fields = strings.SplitN(head, " ", 3)
	if len(fields) < 3 || fields[0] == "" {
		return errors.New("expected client, identity and user before the time")
	}
	e.ClientIP, e.User = fields[0], dash(fields[2])
	return nil
}

// parseRequest splits "GET /path?query HTTP/1.1". Anything else, such as the start of a TLS
// handshake, becomes the path.
func (e *Event) parseRequest(request string) {
	request = dash(request)
	method, target, ok := strings.Cut(request, " ")
	if !ok || method == "" || strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-") != "" {
		e.Path = request
		return
	}
	e.Method = method
	if i := strings.LastIndexByte(target, ' '); i >= 0 && strings.HasPrefix(target[i+1:], "HTTP/") {
		target, e.Protocol = target[:i], target[i+1:]
	}
	e.Path, e.Query, _ = strings.Cut(target, "?")
}

// parseNumbers reads the status and the number of bytes and returns the rest.
func (e *Event) parseNumbers(rest string) (string, error) {
	status, rest, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	size, rest, _ := strings.Cut(rest, " ")
	var err error
	if e.Status, err = number(status); err != nil {
		return "", fmt.Errorf("status: %w", err)
	}
	if e.Bytes, err = number(size); err != nil {
		return "", fmt.Errorf("bytes: %w", err)
	}
	return strings.TrimLeft(rest, " "), nil
}

// parseCombined reads the referrer and the user agent; fields after them are ignored.
func (e *Event) parseCombined(rest string) error {
	if rest[0] != '"' {
		return nil // a common log with fields of its own
	}
	referrer, rest, err := quoted(rest)
	if err != nil {
		return fmt.Errorf("referrer: %w", err)
	}
	e.Referrer = dash(referrer)
	if rest = strings.TrimLeft(rest, " "); rest == "" || rest[0] != '"' {
		return nil
	}
	agent, _, err := quoted(rest)
	if err != nil {
		return fmt.Errorf("user agent: %w", err)
	}
	e.UserAgent = dash(agent)
	e.Browser = Browser(e.UserAgent)
	return nil
}

// quoted reads the quoted field at the beginning of s and returns the rest.
func quoted(s string) (value, rest string, err error) {
	if s == "" || s[0] != '"' {
		return "", "", errors.New("expected a field in quotes")
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return unescape(s[1:i]), s[i+1:], nil
		}
	}
	return "", "", errors.New("no closing quote")
}

var unescaper = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return unescaper.Replace(s)
}

// maxNumber is 2^53, up to which every JSON reader represents integers exactly; sums stay far from
// overflow.
const maxNumber = 1 << 53

func number(s string) (*int64, error) {
	if s == "-" {
		return nil, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > maxNumber {
		return nil, fmt.Errorf("%q is no number", clip(s))
	}
	return &n, nil
}

func dash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

func clip(s string) string {
	if len(s) <= 40 {
		return s
	}
	return strings.ToValidUTF8(s[:40], "") + "…"
}

// families are tried in this order: most browsers name older ones, too.
var families = []struct{ mark, name string }{
	{"bot", "Bot"}, {"crawl", "Bot"}, {"spider", "Bot"}, {"slurp", "Bot"}, {"feed", "Bot"}, {"archiver", "Bot"}, {"facebookexternalhit", "Bot"},
	{"tiny tiny rss", "Bot"}, {"scan", "Bot"}, {"monitor", "Bot"}, {"pingdom", "Bot"}, {"subscribers", "Bot"}, {"readers", "Bot"}, {"ezooms", "Bot"}, {"+http", "Bot"},
	{"curl/", "Tool"}, {"wget/", "Tool"}, {"python", "Tool"}, {"go-http-client", "Tool"}, {"java/", "Tool"}, {"libwww", "Tool"}, {"ruby", "Tool"}, {"okhttp", "Tool"}, {"puppet", "Tool"}, {"chef client", "Tool"},
	{"edg/", "Edge"}, {"edge/", "Edge"}, {"opr/", "Opera"}, {"opera", "Opera"},
	{"firefox/", "Firefox"}, {"chromium/", "Chrome"}, {"chrome/", "Chrome"}, {"crios/", "Chrome"}, {"android", "Android"},
	{"safari/", "Safari"}, {"applewebkit", "Safari"}, {"msie", "Internet Explorer"}, {"trident/", "Internet Explorer"},
}

// Browser returns the family of a user agent: Chrome, Firefox, Safari, …, "Bot" for crawlers and
// feed readers, "Tool" for libraries and command-line tools, "Other", or "" without a user agent.
func Browser(userAgent string) string {
	if userAgent == "" {
		return ""
	}
	lower := strings.ToLower(userAgent)
	for _, f := range families {
		if strings.Contains(lower, f.mark) {
			return f.name
		}
	}
	return "Other"
}
