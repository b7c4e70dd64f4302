package accesslog

import (
	_ "embed"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/visible"
)

// Event is one request of the log. Empty strings and nil pointers are values that the log omits or
// writes as "-".
type Event struct {
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

// lineRe takes a line apart: client and user, time, request, status, bytes, referrer, user agent.
// After the bytes there may be fields of the server's own.
var lineRe = regexp.MustCompile(strings.ReplaceAll(`^(\S.*?) \[([^\]]*)\] "(QUOTED)" +(\d+|-) (\d+|-)`+
	`(?: *| +[^ "].*| +"(QUOTED)"(?: *| +[^ "].*| +"(QUOTED)".*))$`, "QUOTED", `(?:[^"\\]|\\.)*`))

// requestRe takes "GET /path?query HTTP/1.1" apart.
var requestRe = regexp.MustCompile(`^([A-Z_-]+) ([^?]*?)(?:\?(.*?))?(?: (HTTP/\S*))?$`)

// ParseLine reads one line of a common or combined log.
func ParseLine(line string) (e Event, err error) {
	e.Raw = line
	m := lineRe.FindStringSubmatch(line)
	if m == nil {
		return e, errors.New(`expected client, identity and user, [time], "request", status and bytes`)
	}
	if err := e.parseClient(m[1]); err != nil {
		return e, err
	}
	if e.Time, err = time.Parse(timeLayout, m[2]); err != nil {
		return e, fmt.Errorf("%q is no time like 17/May/2015:10:05:03 +0000", visible.Clip(m[2], 40))
	}
	// anything else, such as the start of a TLS handshake, becomes the path
	if e.Path = text(m[3]); requestRe.MatchString(e.Path) {
		r := requestRe.FindStringSubmatch(e.Path)
		e.Method, e.Path, e.Query, e.Protocol = r[1], r[2], r[3], r[4]
	}
	if e.Status, err = number(m[4]); err != nil {
		return e, fmt.Errorf("status: %w", err)
	}
	if e.Bytes, err = number(m[5]); err != nil {
		return e, fmt.Errorf("bytes: %w", err)
	}
	e.Referrer, e.UserAgent = text(m[6]), text(m[7])
	e.Browser = Browser(e.UserAgent)
	return e, nil
}

// parseClient reads "[vhost] client ident user"; a user name may contain spaces.
func (e *Event) parseClient(head string) error {
	host, rest, _ := strings.Cut(head, " ")
	if client, more, _ := strings.Cut(rest, " "); strings.Contains(more, " ") {
		if _, err := netip.ParseAddr(client); err == nil {
			host, rest = client, more
		}
	}
	_, user, ok := strings.Cut(rest, " ")
	if !ok {
		return errors.New("expected client, identity and user before the time")
	}
	e.ClientIP, e.User = host, text(user)
	return nil
}

var unescaper = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// text is a field without its escapes; "-" is none.
func text(s string) string {
	if s == "-" {
		return ""
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
	if err != nil || n > maxNumber {
		return nil, fmt.Errorf("%q is too large", visible.Clip(s, 40))
	}
	return &n, nil
}

//go:embed families.txt
var families string

// Browser returns the family of a user agent: Chrome, Firefox, Safari, …, "Bot" for crawlers and
// feed readers, "Tool" for libraries and command-line tools, "Other", or "" without a user agent.
func Browser(userAgent string) string {
	if userAgent == "" {
		return ""
	}
	lower := strings.ToLower(userAgent)
	for line := range strings.Lines(families) {
		if mark, name, ok := strings.Cut(strings.TrimSpace(line), " = "); ok && strings.Contains(lower, mark) {
			return name
		}
	}
	return "Other"
}
