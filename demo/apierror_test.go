package demo

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestBadRequests(t *testing.T) {
	d := openSample(t)
	for _, test := range []struct {
		body   string
		status int
		code   string
		field  string
		words  string // in the message
	}{
		{``, 400, "invalid_request", "body", "not valid JSON"},
		{`{"query":`, 400, "invalid_request", "query", "not valid JSON"},
		{`[]`, 400, "invalid_request", "body", "must be an object"},
		{`{"query":7}`, 400, "invalid_request", "query", "must be a string"},
		{`{"Query":""}`, 400, "invalid_request", "Query", "not known"},
		{`{"query":"","query":""}`, 400, "invalid_request", "query", "not valid JSON: duplicate"},
		{`{"query":"","colour":1}`, 400, "invalid_request", "colour", "not known"},
		{`{"query":"` + "\xff" + `"}`, 400, "invalid_request", "query", "UTF-8"},
		{`{"page":0}`, 400, "invalid_request", "page", "1 to"},
		{`{"page":201}`, 400, "invalid_request", "page", "10000 rows"},
		{`{"page":1.5}`, 400, "invalid_request", "page", "whole number"},
		{`{"page":99999999999999999999}`, 400, "invalid_request", "page", "whole number"},
		{`{"pageSize":0}`, 400, "invalid_request", "pageSize", "1 to 200"},
		{`{"pageSize":201}`, 400, "invalid_request", "pageSize", "1 to 200"},
		{`{"time":{"from":"yesterday"}}`, 400, "invalid_request", "time.from", "must be a time"},
		{`{"time":{"from":"2026-03-13","to":"2026-03-12"}}`, 400, "invalid_request", "time.to", "before"},
		{`{"time":{"form":"2026-03-13"}}`, 400, "invalid_request", "time.form", "not known"},
		{`{"filters":[{"field":"statu","op":"is","value":1}]}`, 400, "invalid_request", "filters[0].field", "did you mean status"},
		{`{"filters":[{"field":"raw","op":"is","value":1}]}`, 400, "invalid_request", "filters[0].field", "unknown field"},
		{`{"filters":[{"field":"status","op":"is","value":1},{"field":"status","op":"like","value":1}]}`, 400, "invalid_request", "filters[1].op", "one of is"},
		{`{"filters":[{"field":"status","op":"is","value":"x"}]}`, 400, "invalid_request", "filters[0].value", "number"},
		{`{"filters":[{"field":"status","op":"is"}]}`, 400, "invalid_request", "filters[0].value", "missing"},
		{`{"filters":[{"field":"status","op":"is","value":[1]}]}`, 400, "invalid_request", "filters[0].value", "string, a number or null"},
		{`{"filters":[{"field":"status","op":">=","value":null}]}`, 400, "invalid_request", "filters[0].value", "null"},
		{`{"filters":[{"field":"status","op":"contains","value":"4"}]}`, 400, "invalid_request", "filters[0].op", "string field"},
		{`{"filters":[{"field":"timestamp","op":">=","value":"soon"}]}`, 400, "invalid_request", "filters[0].value", "no time"},
		{`{"filters":[{"field":"status","op":"is","value":1,"disabled":"no"}]}`, 400, "invalid_request", "filters[0].disabled", "true or false"},
		{`{"filters":[` + strings.Repeat(`{"field":"path","op":"is","value":"a"},`, 1_200) + `{"field":"path","op":"is","value":"a"}]}`, 400, "invalid_request", "filters", "at most 100"},
		{`{"sort":{"field":"nope","dir":"asc"}}`, 400, "invalid_request", "sort.field", "unknown field"},
		{`{"sort":{"field":"_id","dir":"asc"}}`, 400, "invalid_request", "sort.field", "unknown field"},
		{`{"sort":{"field":"status","dir":"up"}}`, 400, "invalid_request", "sort.dir", "asc"},
		{`{"sort":{"dir":"asc"}}`, 400, "invalid_request", "sort.field", "missing"},
		{`{"query":"` + strings.Repeat(" ", 300_000) + `"}`, 413, "too_large", "body", "256 KiB"},
	} {
		code, answer := call(t, d, "POST", "/demo/discover/query", orSpace(test.body))
		e, _ := answer["error"].(map[string]any)
		details, _ := e["details"].(map[string]any)
		message, _ := e["message"].(string)
		if code != test.status || e["code"] != test.code || details["field"] != test.field || !strings.Contains(message, test.words) {
			t.Errorf("%.80s: %d %s", test.body, code, compact(answer))
		}
	}
}

// orSpace keeps call from leaving the content type out of an empty body.
func orSpace(body string) string {
	if body == "" {
		return " "
	}
	return body
}

func TestQueryErrorsPointAtTheColumn(t *testing.T) {
	d := openSample(t)
	code, answer := call(t, d, "POST", "/demo/discover/query", `{"query":"source=access_log | where statu = 404"}`)
	want := `{"code":"ppl_error","details":{"column":27,"expected":["status"],"length":5,"line":1},"message":"unknown field \"statu\"; did you mean status?"}`
	if got := compact(answer["error"]); code != 422 || got != want {
		t.Errorf("%d %s", code, got)
	}
}

func TestOtherRefusals(t *testing.T) {
	d := openSample(t)
	for _, test := range []struct {
		method, path, kind string
		status             int
		code               string
	}{
		{"POST", "/demo/discover/query", "text/plain", 415, "unsupported_media_type"},
		{"GET", "/demo/discover/rows/0", "", 400, "invalid_request"},
		{"GET", "/demo/discover/rows/abc", "", 400, "invalid_request"},
		{"GET", "/demo/discover/rows/99999999", "", 404, "not_found"},
	} {
		req := httptest.NewRequest(test.method, test.path, strings.NewReader("{}"))
		req.Header.Set("Content-Type", test.kind)
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, req)
		if w.Code != test.status || !strings.Contains(w.Body.String(), `"code":"`+test.code+`"`) || !strings.Contains(w.Body.String(), `"details":`) {
			t.Errorf("%s %s: %d %s", test.method, test.path, w.Code, w.Body)
		}
	}
}

func TestQueryTimeout(t *testing.T) {
	d := *openSample(t)
	d.config.QueryTimeout = time.Nanosecond
	code, answer := call(t, &d, "POST", "/demo/discover/query", `{"query":"source=access_log"}`)
	if code != 422 || !strings.Contains(compact(answer), `"code":"query_timeout"`) {
		t.Errorf("%d %s", code, compact(answer))
	}
}

// A browser that leaves the page stops its requests: nothing has failed.
func TestWhoLeavesIsNoError(t *testing.T) {
	d := *openSample(t)
	var log bytes.Buffer
	d.config.Log = slog.New(slog.NewTextHandler(&log, nil))
	ctx, leave := context.WithCancel(t.Context())
	leave()
	req := httptest.NewRequestWithContext(ctx, "POST", "/demo/discover/query", strings.NewReader(`{"query":"source=access_log"}`))
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if d.Handler().ServeHTTP(w, req); w.Code != http.StatusInternalServerError || log.Len() > 0 {
		t.Errorf("%d %s", w.Code, &log)
	}
}
