package research_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pageside/pageside/demo/demotest"
)

func TestRefusals(t *testing.T) {
	d := openDemo(t)
	demotest.Refusals(t, d.Handler(), d.Research(), demotest.Rows(t, "testdata/refused.txt"))
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
