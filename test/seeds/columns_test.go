package seeds

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/test/must"
)

// TestColumnsAreJudgedByTheModel: a column of the demo has its criteria answered for each article
// by the model, which sees them and the article; what the model quotes is looked up; and each
// article is asked about once.
func TestColumnsAreJudgedByTheModel(t *testing.T) {
	app := must.Get(research.New(t.Context(), research.Config{}))(t)
	model := &fake{}
	a := &agent.Agent{Authorizer: policy.Everything, ID: "default", Model: model}
	app.UseModel(research.Asker{Model: model.Info, Query: func(ctx context.Context, q agent.Query) (json.RawMessage, error) {
		output, _, err := a.Query(ctx, q)
		return output, err
	}})
	post := func(path, body string) string {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/demo/research/"+path, bytes.NewBufferString(body))
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		app.Handler().ServeHTTP(w, req)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		return w.Body.String()
	}
	found := must.JSON[struct {
		Articles []struct{ PMID, Title string }
	}](t, post("articles/search", `{"query":"venetoclax[ti]","pageSize":2}`))
	one, two := found.Articles[0], found.Articles[1]
	output, err := json.Marshal(map[string]any{"note": "By the title.", "rows": []any{
		map[string]any{"id": one.PMID, "value": true, "evidence": one.Title}, map[string]any{"id": two.PMID, "value": false, "evidence": "It says nothing of it."}}})
	must.Do(t, err)
	model.will(calls("c1", "judge_rows", string(output)))
	ask := `{"criteria":"Were the patients children?","type":"yes_no","pmids":["` + one.PMID + `","` + two.PMID + `"]}`
	var said struct {
		Cells map[string]struct {
			Value    any
			Evidence string
			Quoted   bool
		}
		Note string
	}
	for range 2 {
		must.Do(t, json.Unmarshal([]byte(post("columns/judge", ask)), &said))
	}
	if c := said.Cells[one.PMID]; c.Value != true || !c.Quoted || c.Evidence != one.Title || said.Note != "By the title." {
		t.Errorf("the judged article: %+v", said)
	}
	if c := said.Cells[two.PMID]; c.Value != false || c.Quoted {
		t.Errorf("what is no quote counts as one: %+v", c)
	}
	asked := model.asked()
	if len(asked) != 1 {
		t.Fatalf("the model was asked %d times", len(asked))
	}
	if told := prompt(asked[0]); !strings.Contains(told, "Were the patients children?") || !strings.Contains(told, one.PMID) || asked[0].Choice != llm.ChoiceRequired {
		t.Errorf("the model is told %q", told)
	}
}
