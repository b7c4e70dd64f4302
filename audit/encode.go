package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/visible"
)

// Limits of an entry, in bytes. Clients choose ids and names, and the log must not grow by
// megabytes because of one of them.
const (
	maxText   = 512
	maxDetail = 2000
	maxArgs   = 16 << 10
	maxRoles  = 50
)

// timeFormat is RFC 3339 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// dayFormat is the format of Row.Day.
const dayFormat = "2006-01-02"

// Draft is an entry ready to be sealed: its tenant, and its canonical encoding.
type Draft struct {
	Tenant string
	Body   []byte
}

// draft encodes an entry. The encoding is canonical: one line of JSON without spaces, its fields in
// a fixed order, empty ones left out.
func draft(e *Entry) Draft {
	b := make([]byte, 0, 512)
	b = append(b, `{"time":"`...)
	b = e.Time.UTC().AppendFormat(b, timeFormat)
	b = append(b, '"')
	b = appendText(b, "kind", string(e.Kind), maxText)
	b = appendText(b, "subject", e.Principal.Subject, maxText)
	b = appendRoles(b, e.Principal.Roles)
	b = appendText(b, "method", e.Principal.Method, maxText)
	b = appendText(b, "thread", e.ThreadID, maxText)
	b = appendText(b, "run", e.RunID, maxText)
	b = appendText(b, "call", e.CallID, maxText)
	b = appendText(b, "tool", e.Tool, maxText)
	b = appendText(b, "argsHash", e.ArgsHash, maxText)
	b = appendArgs(b, e.Args)
	b = appendText(b, "decision", e.Decision, maxText)
	b = appendText(b, "rule", e.Rule, maxText)
	b = appendText(b, "outcome", e.Outcome, maxText)
	b = appendText(b, "detail", e.Detail, maxDetail)
	return Draft{cut(e.Principal.Tenant, maxText), append(b, '}')}
}

func appendText(b []byte, name, text string, most int) []byte {
	if text == "" {
		return b
	}
	b = append(append(append(b, ',', '"'), name...), '"', ':')
	return jsonx.AppendString(b, cut(text, most))
}

func appendRoles(b []byte, roles []string) []byte {
	if len(roles) == 0 {
		return b
	}
	b = append(b, `,"roles":[`...)
	for i, role := range roles[:min(len(roles), maxRoles)] {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonx.AppendString(b, cut(role, maxText))
	}
	return append(b, ']')
}

// appendArgs appends arguments, which are JSON on one line. Those that are too long are left out:
// their hash identifies them.
func appendArgs(b []byte, args json.RawMessage) []byte {
	if len(args) == 0 || len(args) > maxArgs {
		return b
	}
	return append(append(b, `,"args":`...), args...)
}

// cut returns at most n bytes of a text as UTF-8 that every database stores, cut between
// characters. Replacing makes a text longer, so it comes first: what is written is within n, and is
// read back the same.
func cut(text string, n int) string {
	text = strings.ToValidUTF8(text[:min(len(text), n+utf8.UTFMax)], "\uFFFD")
	return visible.Cut(strings.ReplaceAll(text, "\x00", "\uFFFD"), n)
}

// body is the encoding for reading.
type body struct {
	Time     time.Time       `json:"time"`
	Kind     Kind            `json:"kind"`
	Subject  string          `json:"subject"`
	Roles    []string        `json:"roles"`
	Method   string          `json:"method"`
	Thread   string          `json:"thread"`
	Run      string          `json:"run"`
	Call     string          `json:"call"`
	Tool     string          `json:"tool"`
	ArgsHash string          `json:"argsHash"`
	Args     json.RawMessage `json:"args"`
	Decision string          `json:"decision"`
	Rule     string          `json:"rule"`
	Outcome  string          `json:"outcome"`
	Detail   string          `json:"detail"`
}

// Entry returns the entry of a row.
func (r *Row) Entry() (Entry, error) {
	var b body
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return Entry{}, fmt.Errorf("audit: row %d: %w", r.Seq, err)
	}
	e := Entry{
		Time: b.Time, Kind: b.Kind, ThreadID: b.Thread, RunID: b.Run, CallID: b.Call, Tool: b.Tool,
		ArgsHash: b.ArgsHash, Args: b.Args, Decision: b.Decision, Rule: b.Rule, Outcome: b.Outcome, Detail: b.Detail,
	}
	e.Principal.Tenant, e.Principal.Subject, e.Principal.Roles, e.Principal.Method = r.Tenant, b.Subject, b.Roles, b.Method
	return e, nil
}
