package demo

import (
	"net/http"
	"strings"
	"testing"
)

// TestOpenSearchQueries: the log can be asked as OpenSearch is asked.
func TestOpenSearchQueries(t *testing.T) {
	d := openSample(t)
	ask := func(body string) map[string]any {
		t.Helper()
		code, answer := call(t, d, "POST", pplPath+"?format=jdbc", body)
		if code != http.StatusOK {
			t.Fatalf("%s: %d %v", body, code, answer)
		}
		return answer
	}
	answer := ask(`{"query":"source = access_log | where status >= 400 | stats count() as n, avg(bytes) as size, min(timestamp) as first by path | sort - n | head 2"}`)
	if got := compact(answer["schema"]); got != `[{"name":"n","type":"bigint"},{"name":"size","type":"double"},{"name":"first","type":"timestamp"},{"name":"path","type":"string"}]` {
		t.Error(got)
	}
	rows := answer["datarows"].([]any)
	if len(rows) != 2 || answer["total"] != 2.0 || answer["size"] != 2.0 {
		t.Fatalf("%v", answer)
	}
	first := rows[0].([]any)[2].(string)
	if len(first) < len("2026-03-12 10:00:00") || first[10] != ' ' || strings.HasSuffix(first, "Z") {
		t.Errorf("the time is %q", first)
	}
	// what it says is what the page shows
	shown := query(t, d, `{"query":"source=access_log | where status >= 400 | stats count() as n by path | sort - n | head 2"}`)
	for i, row := range shown["rows"].([]any) {
		if want := row.([]any)[0]; rows[i].([]any)[0] != want {
			t.Errorf("row %d is %v, the page shows %v", i, rows[i], want)
		}
	}
	// a time that it has said can be asked for
	if again := ask(`{"query":"source=access_log | where timestamp >= '` + first + `' | head 1"}`); again["total"] != 1.0 {
		t.Errorf("%v", again)
	}
	if none := ask(`{"query":"source=access_log | where status = 998"}`); compact(none["datarows"]) != "[]" || none["total"] != 0.0 {
		t.Errorf("%v", none)
	}
}

func TestOpenSearchRefusals(t *testing.T) {
	d := openSample(t)
	for _, c := range []struct{ path, body, kind, details string }{
		{pplPath, `{"query":"source=access_log | wher status = 1"}`, "SyntaxCheckException", "wher"},
		{pplPath, `{"query":"source=access_log | where statu = 1"}`, "SyntaxCheckException", "did you mean status"},
		{pplPath, `{"query":"source=other"}`, "SyntaxCheckException", "access_log"},
		{pplPath, `{"query":" "}`, "IllegalArgumentException", "query is missing"},
		{pplPath, `{"query":"source=access_log","fetch_size":5}`, "IllegalArgumentException", "fetch_size"},
		{pplPath + "?format=csv", `{"query":"source=access_log"}`, "IllegalArgumentException", "format must be jdbc"},
	} {
		code, answer := call(t, d, "POST", c.path, c.body)
		said, _ := answer["error"].(map[string]any)
		if code < 400 || code >= 500 || answer["status"] != float64(code) || said["type"] != c.kind || !strings.Contains(said["details"].(string), c.details) {
			t.Errorf("%s: %d %v", c.body, code, answer)
		}
	}
}
