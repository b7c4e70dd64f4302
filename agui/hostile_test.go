package agui

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

// Bodies made to cost more than their size. Each is decided in time that grows with its size only:
// milliseconds, where what grows with the square would take minutes.
func TestHostileRunInputs(t *testing.T) {
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(format, "#", strconv.Itoa(i)))
		}
		return b.String()
	}
	for name, body := range map[string]string{
		"unknown keys":          msgs(numbered(3_000, `{"id":"#","role":"user","content":"",`+numbered(100, `"id_#":0`)+`}`)),
		"old and new parts":     msgs(`{"id":"1","role":"user","content":[` + numbered(15_000, `{"type":"image","source":{"type":"url","value":"#"}}`) + `,` + numbered(15_000, `{"type":"binary","mimeType":"image/png","url":"x#"}`) + `]}`),
		"content before role":   msgs(numbered(20_000, `{"content":"`+strings.Repeat("x", 100)+`","id":"#","role":"user"}`)),
		"tool calls":            msgs(`{"id":"1","role":"assistant","toolCalls":[` + numbered(40_000, `{"id":"#","type":"function","function":{"name":"","arguments":""}}`) + `]}`),
		"context items":         input(`"messages":[],"context":[` + numbered(80_000, `{"description":"","value":"#"}`) + `]`),
		"escaped quotes":        msgs(`{"id":"1","role":"user","content":"` + strings.Repeat(`\"`, 2_000_000) + `"}`),
		"escaped backslashes":   msgs(`{"id":"1","role":"user","content":"` + strings.Repeat(`\\`, 2_000_000) + `\""}`),
		"deep, up to the limit": input(`"messages":[],"state":[` + numbered(30_000, strings.Repeat("[", 60)+strings.Repeat("]", 60)) + `]`),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			in := must.Get(UnmarshalRunAgentInput([]byte(body)))(t)
			took := time.Since(start)
			must.Get(MarshalRunAgentInput(in))(t)
			t.Logf("%d bytes in %v", len(body), took)
			if took > time.Minute {
				t.Error("took", took)
			}
		})
	}
}
