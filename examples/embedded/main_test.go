package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/pageside/pageside/tool"
)

// TestTheProgram signs in by opening the page and asks as its user.
func TestTheProgram(t *testing.T) {
	find := tool.New("find_order", "Finds an order by its number.", findOrder)
	find.Effect = tool.Read
	srv, user := serve(t, find)
	ask := func(run, question string) (int, string) {
		t.Helper()
		body := `{"threadId":"t-` + run + `","runId":"` + run + `","protocolVersion":"1.0","state":{},"tools":[],"context":[],
			"forwardedProps":{"pageside":{"page":"orders"}},"messages":[{"id":"m1","role":"user","content":"` + question + `"}]}`
		resp, err := user.Post(srv.URL+"/v1/agents/default/run", "application/json", strings.NewReader(body))
		status, stream := answer(t, resp, err)
		var said strings.Builder
		for line := range strings.Lines(stream) {
			var event struct{ Type, Delta string }
			if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &event) == nil && event.Type == "TEXT_MESSAGE_CONTENT" {
				said.WriteString(event.Delta)
			}
		}
		return status, said.String()
	}
	if status, said := ask("r0", "Where is order 1050?"); status != http.StatusUnauthorized {
		t.Errorf("nobody is told %d %s", status, said)
	}
	resp, err := user.Get(srv.URL)
	if status, html := answer(t, resp, err); status != http.StatusOK || !strings.Contains(html, `src="/pageside.js"`) {
		t.Errorf("the page: %d %s", status, html)
	}
	for run, tt := range map[string]struct{ question, want string }{
		"r1": {"Where is order 1050?", "Order 1050 of ada: two days late."},
		"r2": {"Where is order 9999?", "ada has no order 9999"},
		"r3": {"Hello", "plays rules from a file"},
	} {
		if status, said := ask(run, tt.question); status != http.StatusOK || !strings.Contains(said, tt.want) {
			t.Errorf("%s: %d %s", tt.question, status, said)
		}
	}
}

// TestTheProgramWithAToolThatDestroys: what nobody has permitted does not run, whoever has signed
// in, though the program says nothing of permissions and approvals.
func TestTheProgramWithAToolThatDestroys(t *testing.T) {
	for _, effect := range []tool.Effect{"", tool.Idempotent, tool.Write, tool.Exfil, tool.Destructive} {
		ran := false
		find := tool.New("find_order", "Deletes an order.", func(context.Context, *tool.Call, order) (tool.Result, error) {
			ran = true
			return tool.Result{Text: "gone"}, nil
		})
		find.Effect = effect
		srv, user := serve(t, find)
		resp, err := user.Get(srv.URL)
		answer(t, resp, err)
		resp, err = user.Post(srv.URL+"/v1/agents/default/run", "application/json", strings.NewReader(`{"threadId":"t","runId":"r","state":{},"tools":[],"context":[],
			"forwardedProps":{"pageside":{"page":"orders"}},"messages":[{"id":"m1","role":"user","content":"Where is order 1050?"}]}`))
		if status, stream := answer(t, resp, err); status != http.StatusOK || ran || !strings.Contains(stream, "not_permitted") {
			t.Errorf("effect %q: %d, it ran: %v: %s", effect, status, ran, stream)
		}
	}
}

// serve starts the program with a tool, for a browser that keeps its cookies.
func serve(t *testing.T, find *tool.Tool) (*httptest.Server, *http.Client) {
	t.Helper()
	app, err := newApp(context.WithoutCancel(t.Context()), find)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(app)
	t.Cleanup(srv.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return srv, &http.Client{Jar: jar}
}

// TestTheProgramIsShort: an example that grows is not read any more.
func TestTheProgramIsShort(t *testing.T) {
	raw, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	code := 0
	_, afterImports, _ := strings.Cut(string(raw), "\n)\n")
	for line := range strings.Lines(afterImports) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			code++
		}
	}
	if code > 60 {
		t.Errorf("%d lines of code, at most 60", code)
	}
}

func answer(t *testing.T, resp *http.Response, err error) (int, string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}
