package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/tool"
)

// toolTimeout bounds the backend tools, which look at every event.
const toolTimeout = 10 * time.Second

const (
	defaultTop  = 10
	maxTop      = 50
	maxExample  = 120 // bytes of a value that a model is shown
	numExamples = 3
)

type describeInput struct {
	Field string `json:"field,omitempty" jsonschema:"describe only this field; without it all fields are described"`
}

type fieldDescription struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Distinct    int64  `json:"distinct"`          // different values, nulls not counted
	Missing     int64  `json:"missing"`           // events without the field
	Min         any    `json:"min,omitempty"`     // times and numbers
	Max         any    `json:"max,omitempty"`     // times and numbers
	Examples    []any  `json:"examples,omitzero"` // the most frequent values
}

func (d *Demo) describeFields() *tool.Tool {
	t := tool.New("describe_fields",
		"Describes the fields of the access log: type, meaning, number of different values, missing values, smallest and largest value, most frequent values. It looks at the whole log, whatever is filtered on the page.",
		func(ctx context.Context, _ *tool.Call, in describeInput) (tool.Result, error) {
			fields := d.schema.Fields
			if in.Field != "" {
				f, err := d.field(in.Field)
				if err != nil {
					return tool.Result{}, err
				}
				fields = []ppl.Field{f}
			}
			return d.describe(ctx, fields)
		})
	t.Effect, t.Category, t.Policy.Timeout = tool.Read, "discover", toolTimeout
	return t
}

// field finds a field of the log or says to the model which there are.
func (d *Demo) field(name string) (ppl.Field, error) {
	if f, ok := d.schema.Field(name); ok {
		return f, nil
	}
	return ppl.Field{}, &tool.Error{Code: tool.CodeInvalidArgs, Message: fmt.Sprintf("field: there is no field %q%s", clip(name, 100), didYouMean(name, d.schema.Names())), Retryable: true}
}

func (d *Demo) describe(ctx context.Context, fields []ppl.Field) (tool.Result, error) {
	descriptions := make([]fieldDescription, len(fields))
	for i, f := range fields {
		var err error
		if descriptions[i], err = d.describeField(ctx, f); err != nil {
			return tool.Result{}, fmt.Errorf("describe %s: %w", f.Name, err)
		}
	}
	return jsonResult(map[string]any{"source": d.schema.Source, "total": d.log.Stats.Total, "time": d.info().Time, "fields": descriptions})
}

func (d *Demo) describeField(ctx context.Context, f ppl.Field) (fieldDescription, error) {
	out := fieldDescription{Name: f.Name, Type: ppl.Column{Type: f.Type}.Public(), Description: describeColumn(f.Name)}
	name := ppl.Name{Text: f.Name}
	plan, err := d.everything()
	if err != nil {
		return out, err
	}
	rows, err := d.aggregate(ctx, plan, &ppl.Stats{Aggs: []ppl.Agg{{Func: "distinct_count", Field: &name}, {Func: "count", Field: &name},
		{Func: "min", Field: &name}, {Func: "max", Field: &name}}})
	if err != nil {
		return out, err
	}
	out.Distinct, out.Missing = asInt(rows[0][0]), int64(d.log.Stats.Total)-asInt(rows[0][1])
	if f.Type != ppl.String {
		out.Min, out.Max = publicValue(f.Type, rows[0][2]), publicValue(f.Type, rows[0][3])
	}
	if f.Type == ppl.Time {
		return out, nil
	}
	known, err := d.everything(&ppl.IsNull{Field: name, Negated: true})
	if err != nil {
		return out, err
	}
	top, err := d.countValues(ctx, f, known, numExamples)
	for _, v := range top {
		out.Examples = append(out.Examples, v.Value)
	}
	return out, err
}

type valueCount struct {
	Value   any     `json:"value"`
	Count   int64   `json:"count"`
	Percent float64 `json:"percent"` // of the matched events
}

// percent is a share with one decimal; 0 of nothing.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return math.Round(float64(part)/float64(whole)*1000) / 10
}

// countValues returns the most frequent values of a field.
func (d *Demo) countValues(ctx context.Context, f ppl.Field, plan *ppl.Plan, limit int) ([]valueCount, error) {
	count := ppl.Name{Text: "the count"} // no field has that name
	rows, err := d.aggregate(ctx, plan,
		&ppl.Stats{Aggs: []ppl.Agg{{Func: "count", Alias: &count}}, By: []ppl.Group{{Field: ppl.Name{Text: f.Name}}}},
		&ppl.Sort{Keys: []ppl.SortKey{{Field: count, Desc: true}}}, &ppl.Head{Count: limit})
	values := make([]valueCount, 0, len(rows))
	for _, row := range rows {
		v := publicValue(f.Type, row[1])
		if text, ok := v.(string); ok {
			v = clip(text, maxExample)
		}
		values = append(values, valueCount{Value: v, Count: asInt(row[0])})
	}
	return values, err
}

type topInput struct {
	Field   string      `json:"field" jsonschema:"the field whose values are counted"`
	Limit   int         `json:"limit,omitempty" jsonschema:"1 to 50, default 10"`
	Query   string      `json:"query,omitempty" jsonschema:"PPL whose where commands, up to the first stats or head, choose the events, such as: source=access_log | where status >= 400"`
	From    string      `json:"from,omitempty" jsonschema:"only events from this time on, ISO 8601 UTC"`
	To      string      `json:"to,omitempty" jsonschema:"only events up to this time (included), ISO 8601 UTC"`
	Filters []topFilter `json:"filters,omitempty" jsonschema:"only events that pass these filters, in the form the page's context has them"`
}

// topFilter is a filter as the page's context writes it.
type topFilter struct {
	Field    string          `json:"field"`
	Op       string          `json:"op" jsonschema:"is, is not, contains, >= or <="`
	Value    json.RawMessage `json:"value" jsonschema:"a string or a number; null with is and is not means a missing value"`
	Disabled bool            `json:"disabled,omitempty"`
}

func (d *Demo) topValues() *tool.Tool {
	t := tool.New("top_values",
		"Counts the most frequent values of one field, over the whole log or over the events that a PPL query's where commands, a time range and filters choose; matched is how many events that are. It does not change what is on the page, and the page's own range and filters apply only where they are passed.",
		func(ctx context.Context, _ *tool.Call, in topInput) (tool.Result, error) { return d.top(ctx, in) })
	t.Effect, t.Category, t.Policy.Timeout = tool.Read, "discover", toolTimeout
	return t
}

func (d *Demo) top(ctx context.Context, in topInput) (tool.Result, error) {
	f, err := d.field(in.Field)
	if err != nil {
		return tool.Result{}, err
	}
	limit := cmp.Or(in.Limit, defaultTop)
	if limit < 1 || limit > maxTop {
		return tool.Result{}, invalidArg("limit: must be 1 to %d", maxTop)
	}
	plan, err := d.chosen(in)
	if err != nil {
		return tool.Result{}, err
	}
	totals, err := d.aggregate(ctx, plan, &ppl.Stats{Aggs: []ppl.Agg{{Func: "count"}, {Func: "distinct_count", Field: &ppl.Name{Text: f.Name}}}})
	if err != nil {
		return tool.Result{}, fmt.Errorf("count %s: %w", f.Name, err)
	}
	values, err := d.countValues(ctx, f, plan, limit)
	if err != nil {
		return tool.Result{}, fmt.Errorf("count values of %s: %w", f.Name, err)
	}
	matched, other := asInt(totals[0][0]), asInt(totals[0][0])
	for i := range values {
		values[i].Percent = percent(values[i].Count, matched)
		other -= values[i].Count
	}
	return jsonResult(map[string]any{"field": f.Name, "matched": matched, "distinct": asInt(totals[0][1]), "values": values, "other": other})
}

// chosen is the plan of the events that a top_values call asks about: by its query's conditions,
// its time range and its filters.
func (d *Demo) chosen(in topInput) (*ppl.Plan, error) {
	w, err := (&timeRange{From: &in.From, To: &in.To}).window("time")
	if err != nil {
		return nil, asToolError(err)
	}
	pills := make([]filter, len(in.Filters))
	for i, f := range in.Filters {
		pills[i] = filter(f)
	}
	q, err := ppl.Parse(cmp.Or(in.Query, "source="+d.schema.Source))
	if err != nil {
		return nil, asToolError(err)
	}
	filters, err := switchedOn(pills, d.sourceOf(q).schema)
	if err != nil {
		return nil, asToolError(err)
	}
	plan, err := d.compile(q, append(w.conditions(), filters...)...)
	if err != nil {
		return nil, asToolError(err)
	}
	return plan, nil
}

// asToolError tells the model what is wrong with its arguments.
func asToolError(err error) error {
	if e := ppl.AsError(err); e != nil {
		return invalidArg("query: %s", e.Error())
	}
	if refused, ok := errors.AsType[*requestError](err); ok {
		return invalidArg("%s", refused.message)
	}
	return err
}

func invalidArg(format string, args ...any) error {
	return &tool.Error{Code: tool.CodeInvalidArgs, Message: fmt.Sprintf(format, args...), Retryable: true}
}

func jsonResult(v any) (tool.Result, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return tool.Result{}, fmt.Errorf("encode result: %w", err)
	}
	return tool.Result{Text: string(text)}, nil
}
