package demo

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

const (
	defaultTop  = 10
	maxTop      = 50
	maxExample  = 120 // bytes of an example value
	numExamples = 3
)

type describeInput struct {
	Field string `json:"field,omitempty" jsonschema:"describe only this field; without it all fields are described"`
}

type fieldDescription struct {
	ppl.Field
	Distinct int64 `json:"distinct"`          // different values, nulls not counted
	Missing  int64 `json:"missing"`           // events without the field
	Min      any   `json:"min,omitempty"`     // times and numbers
	Max      any   `json:"max,omitempty"`     // times and numbers
	Examples []any `json:"examples,omitzero"` // the most frequent values
}

func (d *Demo) describeFields(ctx context.Context, _ *tool.Call, in describeInput) (any, error) {
	log := d.sources[0]
	descriptions := []fieldDescription{}
	for _, f := range d.schema.Fields {
		if in.Field != "" && in.Field != f.Name {
			continue
		}
		description, err := d.describeField(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("describe %s: %w", f.Name, err)
		}
		descriptions = append(descriptions, description)
	}
	if len(descriptions) == 0 {
		_, err := d.field(in.Field)
		return nil, err
	}
	return map[string]any{"source": log.Source, "total": log.Total, "time": log.Time, "fields": descriptions}, nil
}

// field returns a field of the log, or an error that lists the fields.
func (d *Demo) field(name string) (ppl.Field, error) {
	if f, ok := d.schema.Field(name); ok {
		return f, nil
	}
	_, hint := ppl.Meant(name, d.schema.Names())
	return ppl.Field{}, refuse.BadField("field", "%q is not there%s", visible.Clip(name, 100), hint)
}

func (d *Demo) describeField(ctx context.Context, f ppl.Field) (out fieldDescription, err error) {
	out.Field = f
	everything, err := d.choose("", nil, nil)
	if err != nil {
		return out, err
	}
	rows, err := everything.Aggregate(ctx, d.log.DB, fmt.Sprintf("stats distinct_count(%[1]s), count(%[1]s), min(%[1]s), max(%[1]s)", f.Name))
	if err != nil {
		return out, err
	}
	out.Distinct, out.Missing = asInt(rows[0][0]), int64(d.log.Stats.Count)-asInt(rows[0][1])
	if f.Type != ppl.String {
		out.Min, out.Max = publicValue(f.Type, rows[0][2]), publicValue(f.Type, rows[0][3])
	}
	if f.Type == ppl.Time {
		return out, nil
	}
	top, err := d.countValues(ctx, f, everything.Plan, numExamples+1, 0)
	for _, v := range top {
		if v.Value != nil && len(out.Examples) < numExamples {
			out.Examples = append(out.Examples, v.Value)
		}
	}
	return out, err
}

type valueCount struct {
	Value   any     `json:"value"`
	Count   int64   `json:"count"`
	Percent float64 `json:"percent"` // of the matched events
}

// percent returns a share with one decimal; 0 of nothing.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return math.Round(float64(part)/float64(whole)*1000) / 10
}

// countValues returns the most frequent values of a field, of so many events.
func (d *Demo) countValues(ctx context.Context, f ppl.Field, plan *ppl.Plan, limit int, events int64) ([]valueCount, error) {
	rows, err := plan.Aggregate(ctx, d.log.DB, fmt.Sprintf("top %d %s", limit, f.Name))
	return counted(f.Type, rows, events), err
}

// counted reads the result of top.
func counted(t ppl.Type, rows [][]any, events int64) []valueCount {
	values := make([]valueCount, 0, len(rows))
	for _, row := range rows {
		v := publicValue(t, row[0])
		if text, ok := v.(string); ok {
			v = visible.Clip(text, maxExample)
		}
		values = append(values, valueCount{v, asInt(row[1]), percent(asInt(row[1]), events)})
	}
	return values
}

type topInput struct {
	Field   string   `json:"field" jsonschema:"the field whose values are counted"`
	Limit   int      `json:"limit,omitempty" jsonschema:"1 to 50, default 10"`
	Query   string   `json:"query,omitempty" jsonschema:"PPL whose where commands, up to the first stats or head, choose the events, such as: source=access_log | where status >= 400"`
	From    string   `json:"from,omitempty" jsonschema:"only events from this time on, ISO 8601 UTC"`
	To      string   `json:"to,omitempty" jsonschema:"only events up to this time (included), ISO 8601 UTC"`
	Filters []filter `json:"filters,omitempty" jsonschema:"only events that pass these filters, in the form the page's context has them"`
}

func (d *Demo) topValues(ctx context.Context, _ *tool.Call, in topInput) (any, error) {
	f, err := d.field(in.Field)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(in.Limit, defaultTop)
	if limit < 1 || limit > maxTop {
		return nil, refuse.BadField("limit", "must be 1 to %d", maxTop)
	}
	chosen, err := d.choose(in.Query, &timeRange{&in.From, &in.To}, in.Filters)
	if err != nil {
		return nil, err
	}
	totals, err := chosen.Aggregate(ctx, d.log.DB, fmt.Sprintf("stats count(), distinct_count(%s)", f.Name))
	if err != nil {
		return nil, err
	}
	matched, other := asInt(totals[0][0]), asInt(totals[0][0])
	values, err := d.countValues(ctx, f, chosen.Plan, limit, matched)
	if err != nil {
		return nil, err
	}
	for _, v := range values {
		other -= v.Count
	}
	return map[string]any{"field": f.Name, "matched": matched, "distinct": asInt(totals[0][1]), "values": values, "other": other}, nil
}
