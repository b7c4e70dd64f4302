package research_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestRefusedRequests(t *testing.T) {
	d := openDemo(t)
	for _, tt := range []struct {
		method, path string
		body         any
		status       int
		code, says   string
	}{
		{"POST", "articles/search", object{"query": "(a"}, 422, "pubmed_error", "not closed"},
		{"POST", "articles/search", object{"query": "a", "page": -1}, 400, "invalid_request", "page must be"},
		{"POST", "articles/search", object{"query": "a", "pageSize": 201}, 400, "invalid_request", "pageSize must be 1 to 200"},
		{"POST", "articles/search", object{"query": "a", "sort": "size"}, 400, "invalid_request", "sort must be one of"},
		{"POST", "articles/search", object{"query": "a", "filters": object{"from": "May"}}, 400, "invalid_request", "filters.from must be a date"},
		{"POST", "articles/search", object{"q": "a"}, 400, "invalid_request", "q "},
		{"POST", "articles/search", nil, 400, "invalid_request", "body"},
		{"GET", "articles/1", nil, 404, "not_found", "article 1"},
		{"GET", "trials/NCT1", nil, 404, "not_found", "trial NCT1"},
		{"GET", "streams/99", nil, 404, "not_found", "stream"},
		{"GET", "reports/99", nil, 404, "not_found", "report"},
		{"POST", "trials/search", object{"startFrom": "soon"}, 400, "invalid_request", "startFrom"},
		{"POST", "reports", object{"streamId": "99"}, 400, "invalid_request", "streamId names no stream"},
		{"POST", "columns/judge", object{"criteria": " ", "type": "yes_no"}, 400, "invalid_request", "criteria"},
		{"POST", "columns/judge", object{"criteria": "Is it?", "type": "maybe"}, 400, "invalid_request", "type"},
		{"POST", "columns/judge", object{"criteria": "Is it?", "type": "yes_no", "pmids": make([]string, 101)}, 400, "invalid_request", "pmids"},
		{"POST", "streams", object{"name": ""}, 400, "invalid_request", "name must have"},
		{"POST", "streams", object{"name": "x", "columns": make([]object, 21)}, 400, "invalid_request", "columns has more than 20"},
		{"POST", "streams", object{"name": "x", "retrieval": object{"query": "a[zz]"}}, 422, "pubmed_error", "[zz]"},
		{"POST", "streams", object{"name": "x", "schema": object{"fields": []object{{"key": "A b", "label": "x", "type": "text"}}}}, 400, "invalid_request", "schema.fields[0].key"},
		{"POST", "streams", object{"name": "x", "schema": object{"fields": []object{{"key": "a", "label": "x", "type": "date"}}}}, 400, "invalid_request", "schema.fields[0].type"},
	} {
		status, out := call(t, d, tt.method, tt.path, tt.body)
		e, _ := out["error"].(object)
		if status != tt.status || e["code"] != tt.code || !strings.Contains(fmt.Sprint(e["message"]), tt.says) || e["details"] == nil {
			t.Errorf("%s %s %v: %d %v", tt.method, tt.path, tt.body, status, out)
		}
	}
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/demo/research/articles/search", strings.NewReader(`{"query":""}`)))
	if w.Code != http.StatusUnsupportedMediaType {
		t.Error("a post that is not JSON by its content type: ", w.Code)
	}
}

func TestPubMedErrorSaysWhere(t *testing.T) {
	_, out := call(t, openDemo(t), "POST", "articles/search", object{"query": "ä[ti] OR b[zz]"})
	details := out["error"].(object)["details"].(object)
	if details["position"] != float64(10) || details["length"] != float64(4) || !slices.Contains(details["expected"].([]any), any("[tiab]")) {
		t.Error(details)
	}
}

// TestStreamsAreKept: made, changed with the version that was read, refused with an older one.
func TestStreamsAreKept(t *testing.T) {
	d := newDemo(t)
	before := len(get(t, d, "streams")["streams"].([]any))
	made := post(t, d, "streams", object{"name": " Mine ", "purpose": "p", "retrieval": object{"query": "venetoclax[ti]"}})
	if made["name"] != "Mine" || made["version"] != float64(1) || made["id"] == "" || made["columns"] == nil {
		t.Error(made)
	}
	path := "streams/" + made["id"].(string)
	made["retrieval"].(object)["query"] = "cytarabine[ti]"
	status, changed := call(t, d, "PUT", path, made)
	if status != 200 || changed["version"] != float64(2) {
		t.Error(status, changed)
	}
	if status, out := call(t, d, "PUT", path, made); status != http.StatusConflict || out["error"].(object)["details"].(object)["version"] != float64(2) {
		t.Error(status, out)
	}
	made["id"] = "1"
	if status, _ := call(t, d, "PUT", path, made); status != http.StatusBadRequest {
		t.Error("another stream's id: ", status)
	}
	list := get(t, d, "streams")["streams"].([]any)
	found := post(t, d, "articles/search", object{"query": "cytarabine[ti]"})
	if len(list) != before+1 || list[before].(object)["articles"] != found["total"] {
		t.Error(list)
	}
}

// TestReportsFollowTheStream: a report that is made later is of the stream as it is then, and can
// be compared with an older one.
func TestReportsFollowTheStream(t *testing.T) {
	d := newDemo(t)
	reports := get(t, d, "reports")["reports"].([]any)
	if len(reports) != 9 || reports[0].(object)["articles"] != nil {
		t.Fatal(reports)
	}
	stream := get(t, d, "streams/1")
	old := reports[0].(object)
	stream["retrieval"].(object)["query"] = "venetoclax[ti] AND azacitidine[ti]"
	if status, out := call(t, d, "PUT", "streams/1", stream); status != 200 {
		t.Fatal(out)
	}
	made := post(t, d, "reports", object{"streamId": "1"})
	first := get(t, d, "reports")["reports"].([]any)[0].(object)
	if first["id"] != made["id"] || made["name"] != "Venetoclax combinations, version 2" || made["total"].(float64) >= old["total"].(float64) || len(made["articles"].([]any)) != int(made["total"].(float64)) {
		t.Error(first, made["name"], made["total"], old["total"])
	}
}

// TestDetails: an article with its trial, a trial with its articles.
func TestDetails(t *testing.T) {
	d := openDemo(t)
	for _, a := range post(t, d, "articles/search", object{"query": "", "pageSize": 200})["articles"].([]any) {
		nct, ok := a.(object)["nct"].(string)
		if !ok {
			continue
		}
		pmid := a.(object)["pmid"].(string)
		article := get(t, d, "articles/"+pmid)
		trial := get(t, d, "trials/"+nct)
		if article["trial"].(object)["title"] != trial["title"] || !strings.Contains(compact(trial["articles"]), pmid) || article["mesh"] == nil || article["abstract"] == nil {
			t.Error(article, trial)
		}
		return
	}
	t.Error("no article has a trial")
}
