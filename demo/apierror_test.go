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

	"github.com/pageside/pageside/demo/demotest"
)

func TestRefusals(t *testing.T) {
	d := fresh(t)
	demotest.Refusals(t, d.Handler(), d, append(demotest.Rows(t, "testdata/refused.txt"), [][]string{
		{"POST /demo/discover/query", `{"query":"` + "\xff" + `"}`, "400 invalid_request query", "UTF-8"},
		{"POST /demo/discover/query", `{"filters":[` + strings.Repeat(`{"field":"path","op":"is","value":"a"},`, 1_200) + `{"field":"path","op":"is","value":"a"}]}`, "400 invalid_request filters", "at most 100"},
		{"POST /demo/discover/query", `{"query":"` + strings.Repeat(" ", 300_000) + `"}`, "413 too_large body", "256 KiB"},
	}...))
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/demo/discover/query", strings.NewReader("{}")))
	if w.Code != http.StatusUnsupportedMediaType || !strings.Contains(w.Body.String(), `"code":"unsupported_media_type"`) {
		t.Errorf("without a content type: %d %s", w.Code, w.Body)
	}
}

func TestQueryErrorsPointAtTheColumn(t *testing.T) {
	d := openSample(t)
	code, answer := call(t, d, "POST", "/demo/discover/query", `{"query":"source=access_log | where statu = 404"}`)
	want := `{"code":"ppl_error","details":{"column":27,"expected":["status"],"length":5,"line":1},"message":"unknown field \"statu\"; did you mean status?"}`
	if got := compact(answer["error"]); code != 422 || got != want {
		t.Errorf("%d %s", code, got)
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
