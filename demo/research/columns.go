package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research/library"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/page"
)

// Asker asks the assistant's model for structured output: see run.Manager.Query.
type Asker struct {
	Query func(ctx context.Context, q agent.Query) (json.RawMessage, error)
	Model func() llm.Info // the model that is asked now
}

// UseModel gives the application the model that judges its columns.
func (a *App) UseModel(asker Asker) { a.judge.asker.Store(&asker) }

// Cell is what a column says of a row.
type Cell struct {
	Value    any    `json:"value"` // a bool, number or string; nil where the row does not tell
	Evidence string `json:"evidence,omitempty"`
	// Quoted says that the evidence stands in the row word for word
	Quoted bool `json:"quoted"`
}

// criterion is what a column asks of each row.
type criterion struct {
	Criteria string `json:"criteria"`
	Type     string `json:"type"`
}

// row is an article or a trial as the model sees it.
type row struct {
	id     string
	fields map[string]any // texts and lists of texts
}

func articleRow(a library.Article) row {
	return row{a.PMID, map[string]any{"id": a.PMID, "title": a.Title, "abstract": a.Abstract, "headings": a.MeSH, "types": a.Types, "journal": a.Journal, "date": a.Date}}
}

func trialRow(t library.Trial) row {
	return row{t.NCT, map[string]any{"id": t.NCT, "title": t.Title, "summary": t.Summary, "phase": t.Phase, "status": t.StatusLabel, "type": t.StudyType, "conditions": t.Conditions,
		"interventions": t.Interventions, "primaryOutcomes": t.PrimaryMeasures, "sponsor": t.Sponsor, "start": t.Start, "age": t.Age, "design": t.Design}}
}

// quotes reports whether a text stands in the row word for word. Space and the marks around a quote
// do not count.
func (r row) quotes(text string) bool {
	text = spaces(strings.Trim(strings.TrimSpace(text), `"“”'…`))
	for name, value := range r.fields {
		for _, t := range textsOf(value) {
			if text != "" && name != "id" && strings.Contains(spaces(t), text) {
				return true
			}
		}
	}
	return false
}

func spaces(text string) string { return strings.Join(strings.Fields(text), " ") }

const (
	judgeBatch  = 6      // rows of one model call
	judgeCalls  = 4      // model calls at a time, of all users
	maxCells    = 50_000 // judged cells that are kept
	maxEvidence = 400    // bytes
)

// judge has a model judge rows by criteria, and keeps what it said. It is safe for concurrent use.
type judge struct {
	asker atomic.Pointer[Asker]
	calls chan struct{}

	mu    sync.Mutex
	cells map[cellKey]Cell // of the row "" the evidence is how a model judges, in its own words
}

type cellKey struct {
	model, id string
	criterion
}

func newJudge() *judge {
	return &judge{calls: make(chan struct{}, judgeCalls), cells: map[cellKey]Cell{}}
}

// judged is what a column says of rows, by their ids.
type judged struct {
	Cells    map[string]Cell `json:"cells"`
	Note     string          `json:"note,omitempty"` // how the model judged
	Model    string          `json:"model"`
	Scripted bool            `json:"scripted"`
}

var errNoModel = &refuse.Error{Status: http.StatusServiceUnavailable, Code: "no_model", Message: "no model is there to judge the rows"}

// rows judges rows by a criterion: what is not known yet in batches, a few at a time. It ends with
// ctx; what was judged by then is kept.
func (j *judge) rows(ctx context.Context, c criterion, rows []row) (judged, error) {
	asker := j.asker.Load()
	if asker == nil {
		return judged{}, errNoModel
	}
	c.Criteria = spaces(c.Criteria)
	model := asker.Model()
	var open []row
	for _, r := range rows {
		if _, ok := j.known(model.Name(), c, r.id); !ok {
			open = append(open, r)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	for batch := range slices.Chunk(open, judgeBatch) {
		group.Go(func() error { return j.batch(ctx, asker, c, batch) })
	}
	if err := group.Wait(); err != nil {
		return judged{}, err
	}
	out := judged{Cells: map[string]Cell{}, Model: model.Name(), Scripted: model.Scripted}
	for _, r := range rows {
		if cell, ok := j.known(model.Name(), c, r.id); ok {
			out.Cells[r.id] = cell
		}
	}
	note, _ := j.known(model.Name(), c, "")
	out.Note = note.Evidence
	return out, nil
}

func (j *judge) known(model string, c criterion, id string) (Cell, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	cell, ok := j.cells[cellKey{model, id, c}]
	return cell, ok
}

// count returns how many of the rows were judged by the current model, and how many of them say
// something.
func (j *judge) count(c criterion, ids []string) (filled, judged int) {
	asker := j.asker.Load()
	if asker == nil {
		return 0, 0
	}
	model := asker.Model().Name()
	c.Criteria = spaces(c.Criteria)
	for _, id := range ids {
		if cell, ok := j.known(model, c, id); ok {
			judged++
			if cell.Value != nil && cell.Value != false {
				filled++
			}
		}
	}
	return filled, judged
}

// verdict is what the model says of a row.
type verdict struct {
	ID       string `json:"id"`
	Value    any    `json:"value"`
	Evidence string `json:"evidence"`
}

// batch has the model judge a few rows in one call.
func (j *judge) batch(ctx context.Context, asker *Asker, c criterion, rows []row) error {
	select {
	case j.calls <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-j.calls }()
	model := asker.Model().Name()
	raw, err := asker.Query(ctx, judgeQuery(c, rows))
	if failed, ok := errors.AsType[*llm.Error](err); ok {
		return &refuse.Error{Status: http.StatusBadGateway, Code: "model_failed", Message: failed.Error()}
	}
	if err != nil {
		return err
	}
	var answer struct {
		Rows []verdict `json:"rows"`
		Note string    `json:"note"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("read what the model judged: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.cells) > maxCells {
		clear(j.cells) // what is still needed is judged again
	}
	if note := visible.Clip(spaces(answer.Note), maxEvidence); note != "" {
		j.cells[cellKey{model, "", c}] = Cell{Evidence: note}
	}
	for _, r := range rows {
		j.cells[cellKey{model, r.id, c}] = cellOf(r, answer.Rows)
	}
	return nil
}

// cellOf returns what the model said of a row; nothing if it left it out.
func cellOf(r row, verdicts []verdict) Cell {
	for _, v := range verdicts {
		if v.ID == r.id {
			return Cell{v.Value, visible.Clip(strings.TrimSpace(v.Evidence), maxEvidence), r.quotes(v.Evidence)}
		}
	}
	return Cell{}
}

// judgeName is the name of the output that judges rows.
const judgeName = "judge_rows"

const judgeInstructions = `You judge rows of a table, each an article or a clinical trial, by the question in the item "criteria". It is a question about each row and nothing else.
Judge by what the row says, not by what you know. value is the answer; null where the row does not tell. evidence is the passage of the row that shows it, copied word for word, at most two sentences; "" where value is null, or where a no is shown by nothing. Judge every row by itself, once. note says in one sentence how you judged.`

// judgeQuery asks for the verdicts on a few rows.
func judgeQuery(c criterion, rows []row) agent.Query {
	data := []page.Item{{Description: "criteria", Value: string(marshal(c))}}
	for _, r := range rows {
		data = append(data, page.Item{Description: "row", Value: string(marshal(r.fields))})
	}
	return agent.Query{Name: judgeName, Instructions: judgeInstructions, Data: data, Schema: judgeSchema(c.Type), Effort: "low"}
}

// judgeSchema is the schema of the verdicts of a column's type.
func judgeSchema(kind string) json.RawMessage {
	value := map[string]string{"yes_no": "boolean", "number": "number", "text": "string", "category": "string"}[kind]
	return fmt.Appendf(nil, `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{`+
		`"id":{"type":"string"},"value":{"type":[%q,"null"]},"evidence":{"type":"string"}},"required":["id","value","evidence"],"additionalProperties":false}},`+
		`"note":{"type":"string"}},"required":["rows","note"],"additionalProperties":false}`, value)
}

func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and lists of texts
	}
	return raw
}
