package demotest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// Object is a JSON object.
type Object = map[string]any

// Call makes a request and decodes the answer, which must be JSON.
func Call(t testing.TB, h http.Handler, method, path, body string) (int, Object) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if body != "" {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	must.Be(t, w.Header().Get("Content-Type"), "application/json", "%s %s: %s", method, path, w.Body)
	return w.Code, must.JSON[Object](t, w.Body.Bytes())
}

// Toolbox is what has backend tools.
type Toolbox interface{ Tools() []*tool.Tool }

// Tool is one of them, as the loop runs it.
func Tool(t testing.TB, of Toolbox, name string) *tool.Tool {
	t.Helper()
	found, ok := must.Get(tool.NewRegistry(of.Tools()...))(t).Get(name)
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	return found
}

// RunTool runs a tool as the loop does.
func RunTool(t testing.TB, of Toolbox, name, args string) tool.Result {
	t.Helper()
	return tool.Execute(t.Context(), Tool(t, of, name), tool.Call{ID: "1", Tool: name, Args: json.RawMessage(args)}, nil)
}

// WouldAsk is what a person is asked before a tool runs, or why nobody is asked.
func WouldAsk(t testing.TB, of Toolbox, name, args string) (string, *tool.Error) {
	t.Helper()
	return tool.Summarize(t.Context(), Tool(t, of, name), tool.Call{ID: "1", Args: json.RawMessage(args)})
}

// Refusals plays what an application refuses. A row is a request, its body, status and code with
// the field that is wrong, and words of the message; or a tool, its arguments and words of its
// error.
func Refusals(t testing.TB, h http.Handler, of Toolbox, rows [][]string) {
	t.Helper()
	for _, row := range rows {
		if method, path, isRequest := strings.Cut(row[0], " "); isRequest {
			code, answer := Call(t, h, method, path, row[1])
			e, _ := answer["error"].(Object)
			details, _ := e["details"].(Object)
			said := fmt.Sprint(code, " ", e["code"])
			if strings.Count(row[2], " ") > 1 {
				said = fmt.Sprint(said, " ", details["field"])
			}
			if said != row[2] || details == nil || !strings.Contains(fmt.Sprint(e["message"]), row[3]) {
				t.Errorf("%s %.80s: %s %s, want %s", row[0], row[1], said, Compact(answer), row[2:])
			}
			continue
		}
		if r := RunTool(t, of, row[0], row[1]); !r.IsError || !strings.Contains(r.Text, row[2]) || !strings.Contains(r.Text, `"retryable":true`) {
			t.Errorf("%s %.80s: %s, want %s", row[0], row[1], r.Text, row[2])
		}
	}
}

// Rows reads a table of tests: a row on each line, its cells apart by " || ". Lines that begin with
// "# " are comments.
func Rows(t testing.TB, file string) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(string(must.Get(os.ReadFile(file))(t))) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line+" ", "# ") {
			rows = append(rows, strings.Split(line, " || "))
		}
	}
	return rows
}
