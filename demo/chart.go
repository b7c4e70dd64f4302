package demo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pageside/pageside/demo/define"
	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/refuse"
	"github.com/pageside/pageside/demo/research"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

// maxPoints is the maximum number of values in a chart.
const maxPoints = 200

type chartInput struct {
	Type    string   `json:"type" jsonschema:"bar, or line (over time)"`
	Title   string   `json:"title"`
	Query   string   `json:"query" jsonschema:"PPL that ends in a table: a label column, which is a time or a text, and a number"`
	From    string   `json:"from,omitempty" jsonschema:"start, ISO 8601"`
	To      string   `json:"to,omitempty" jsonschema:"end (included), ISO 8601"`
	Filters []filter `json:"filters,omitempty"`
	Unit    string   `json:"unit,omitempty" jsonschema:"of the values: requests"`
}

func (d *Demo) makeChart(ctx context.Context, _ *tool.Call, in chartInput) (any, error) {
	c, err := d.drawChart(ctx, in)
	if err != nil {
		return nil, err
	}
	told := map[string]any{"shown": true, "cut": c.Note != "", "points": len(c.Data), "data": c.Data}
	if c.Note != "" {
		told["note"] = c.Note + " Whatever is summed up from them leaves out the others; aggregate with stats, or use head, top or a longer span."
	}
	if len(c.Data) == 0 {
		return told, nil
	}
	return define.Told(told, c)
}

func (d *Demo) drawChart(ctx context.Context, in chartInput) (*research.Chart, error) {
	if in.Type != "line" {
		in.Type = "bar" // also for a pie, and whatever else a model may want
	}
	chosen, err := d.choose(in.Query, &timeRange{&in.From, &in.To}, in.Filters)
	if err != nil {
		return nil, err
	}
	label, value, err := chartColumns(chosen.Columns)
	if err != nil {
		return nil, err
	}
	found, err := chosen.Run(ctx, d.log.DB, ppl.Page{Limit: maxPoints + 1})
	if err != nil {
		return nil, err
	}
	c := &research.Chart{Type: in.Type, Title: visible.Clip(in.Title, 120), Data: []research.ChartPoint{}, Unit: visible.Clip(in.Unit, 40)}
	if len(found.Rows) > maxPoints {
		all, err := chosen.Count(ctx, d.log.DB)
		if err != nil {
			return nil, err
		}
		c.Note = fmt.Sprintf("The first %d of %s values.", maxPoints, thousands(all))
	}
	for _, row := range found.Rows[:min(maxPoints, len(found.Rows))] {
		c.Data = append(c.Data, research.ChartPoint{Label: labelText(chosen.Columns[label].Type, row[label]), Value: asFloat(row[value])})
	}
	return c, nil
}

// chartColumns returns the label and value columns: the first number that is not a key, and the
// first other column.
func chartColumns(columns []ppl.Column) (label, value int, err error) {
	label = slices.IndexFunc(columns, func(c ppl.Column) bool { return !c.Type.Number() })
	if label < 0 {
		// a number that is a name
		label = slices.IndexFunc(columns, func(c ppl.Column) bool { return c.Name == "status" })
	}
	value = slices.IndexFunc(columns, func(c ppl.Column) bool { return c.Type.Number() && c.Name != "status" })
	if label < 0 || value < 0 {
		return 0, 0, refuse.BadField("query", "of a chart needs a column of labels and one of numbers, as from stats count() by path")
	}
	return label, value, nil
}

func labelText(t ppl.Type, v any) string {
	if millis, ok := v.(int64); ok && t == ppl.Time {
		return time.UnixMilli(millis).UTC().Format("2 Jan 15:04")
	}
	if v == nil {
		return "none"
	}
	return visible.Clip(fmt.Sprint(v), 80)
}

func asFloat(v any) float64 {
	if f, ok := v.(float64); ok {
		return f
	}
	return float64(asInt(v))
}

// thousands writes a number with commas.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
