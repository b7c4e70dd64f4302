package accesslog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// show writes the parsed fields in one line.
func show(e Event) string {
	n := func(v *int64) string {
		if v == nil {
			return "null"
		}
		return fmt.Sprint(*v)
	}
	return strings.Join([]string{e.Time.UTC().Format(time.RFC3339), e.ClientIP, e.User, e.Method, e.Path, e.Query, e.Protocol,
		n(e.Status), n(e.Bytes), e.Referrer, e.UserAgent, e.Browser}, "|")
}

func TestParseLine(t *testing.T) {
	for _, test := range []struct{ name, line, want string }{
		{"combined", `83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a.png?x=1&y=%20?z HTTP/1.1" 200 203023 "http://example.com/" "Mozilla/5.0 Chrome/32.0 Safari/537.36"`,
			"2015-05-17T10:05:03Z|83.149.9.216||GET|/a.png|x=1&y=%20?z|HTTP/1.1|200|203023|http://example.com/|Mozilla/5.0 Chrome/32.0 Safari/537.36|Chrome"},
		{"common", `127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326`,
			"2000-10-10T20:55:36Z|127.0.0.1|frank|GET|/apache_pb.gif||HTTP/1.0|200|2326|||"},
		{"dashes", `127.0.0.1 - - [10/Oct/2000:13:55:36 +0000] "-" 408 - "-" "-"`,
			"2000-10-10T13:55:36Z|127.0.0.1||||||408|null|||"},
		{"escaped quotes", `10.0.0.1 - - [10/Oct/2000:13:55:36 +0000] "GET /q?s=\"a\" HTTP/1.1" 200 5 "http://x/\"y\"" "Agent \"X\\\" 1.0"`,
			`2000-10-10T13:55:36Z|10.0.0.1||GET|/q|s="a"|HTTP/1.1|200|5|http://x/"y"|Agent "X\" 1.0|Other`},
		{"IPv6", `2001:db8::1 - - [10/Oct/2000:13:55:36 +0000] "HEAD / HTTP/2.0" 304 0 "-" "curl/8.5.0"`,
			"2000-10-10T13:55:36Z|2001:db8::1||HEAD|/||HTTP/2.0|304|0||curl/8.5.0|Tool"},
		{"vhost in front", `www.example.com:80 2001:db8::1 - bob [10/Oct/2000:13:55:36 +0000] "GET / HTTP/1.1" 200 1 "-" "-"`,
			"2000-10-10T13:55:36Z|2001:db8::1|bob|GET|/||HTTP/1.1|200|1|||"},
		{"user with spaces", `10.0.0.1 - Jane Q. Doe [10/Oct/2000:13:55:36 +0000] "GET / HTTP/1.1" 200 1`,
			"2000-10-10T13:55:36Z|10.0.0.1|Jane Q. Doe|GET|/||HTTP/1.1|200|1|||"},
		{"host name", `crawler.example.net - - [10/Oct/2000:13:55:36 +0000] "GET / HTTP/1.1" 200 1 "-" "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"`,
			"2000-10-10T13:55:36Z|crawler.example.net||GET|/||HTTP/1.1|200|1||Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)|Bot"},
		{"extra fields", `10.0.0.1 - - [10/Oct/2000:13:55:36 +0000] "POST /api HTTP/1.1" 502 157 "-" "okhttp/4.12" "1.2.3.4" 0.123 -`,
			"2000-10-10T13:55:36Z|10.0.0.1||POST|/api||HTTP/1.1|502|157||okhttp/4.12|Tool"},
		{"common with a number at the end", `10.0.0.1 - - [10/Oct/2000:13:55:36 +0000] "GET / HTTP/1.1" 200 157 0.123`,
			"2000-10-10T13:55:36Z|10.0.0.1||GET|/||HTTP/1.1|200|157|||"},
		{"TLS on a plain port", `10.0.0.1 - - [10/Oct/2000:13:55:36 +0000] "\x16\x03\x01" 400 157 "-" "-"`,
			`2000-10-10T13:55:36Z|10.0.0.1|||\x16\x03\x01|||400|157|||`},
		{"HTTP/0.9", `10.0.0.1 - - [10/Oct/2000:13:55:36 +0000] "GET /old page" 200 1`,
			"2000-10-10T13:55:36Z|10.0.0.1||GET|/old page|||200|1|||"},
		{"absolute target", `10.0.0.1 - - [10/Oct/2000:13:55:36 +0000] "GET http://other.example/x?y HTTP/1.1" 403 1`,
			"2000-10-10T13:55:36Z|10.0.0.1||GET|http://other.example/x|y|HTTP/1.1|403|1|||"},
		{"empty query", `10.0.0.1 - - [10/Oct/2000:13:55:36 +0000] "GET /? HTTP/1.1" 200 1`,
			"2000-10-10T13:55:36Z|10.0.0.1||GET|/||HTTP/1.1|200|1|||"},
	} {
		e, err := ParseLine(test.line)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		must.Be(t, show(e), test.want, "%s", test.name)
		must.Be(t, e.Raw, test.line, "%s: raw", test.name)
	}
}

func TestBadLines(t *testing.T) {
	const start = `10.0.0.1 - - [10/Oct/2000:13:55:36 +0000] `
	for _, test := range []struct{ line, reason string }{
		{"hello world", "expected client"},
		{`10.0.0.1 [10/Oct/2000:13:55:36 +0000] "GET / HTTP/1.1" 200 1`, "client, identity and user before"},
		{`10.0.0.1 - - [10/Oct/2000:13:55:36 +0000`, "expected"},
		{`10.0.0.1 - - [32/Oct/2000:13:55:36 +0000] "GET / HTTP/1.1" 200 1`, "no time like"},
		{start, "expected"},
		{start + `"GET / HTTP/1.1`, "expected"},
		{start + `"GET / HTTP/1.1\"`, "expected"},
		{start + `"GET / HTTP/1.1"`, "expected"},
		{start + `"GET / HTTP/1.1" 200`, "expected"},
		{start + `"GET / HTTP/1.1" OK 1`, "expected"},
		{start + `"GET / HTTP/1.1" 200 -5`, "expected"},
		{start + `"GET / HTTP/1.1" 200 99999999999999999`, "bytes"},
		{start + `"GET / HTTP/1.1" 200 5 "http`, "expected"},
		{start + `"GET / HTTP/1.1" 200 5 "-" "Mozilla`, "expected"},
	} {
		must.Fail(t, must.Err(ParseLine(test.line)), test.reason, "%s", test.line)
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add(`83.149.9.216 - - [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 203023 "http://example.com/" "Mozilla/5.0 \"x\""`)
	f.Add(`h:80 ::1 - u [10/Oct/2000:13:55:36 -0700] "-" - - "" ""`)
	f.Fuzz(func(t *testing.T, line string) {
		e, err := ParseLine(line)
		if err == nil && (e.ClientIP == "" || e.Time.IsZero() && !strings.Contains(line, "0001") || e.Status != nil && *e.Status < 0) {
			t.Errorf("%q: %+v", line, e)
		}
	})
}
