// Package conformance has the tools that stock clients are tested with. The conformance build of
// pageside (go build -tags conformance ./cmd/pageside) offers them; web/conformance talks to it.
package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pageside/pageside/tool"
)

// patience is how long a tool waits for a test: longer than any test lasts.
const patience = 10 * time.Minute

// Tools returns the tools, all of them global. The configuration must define the payload chart.
func Tools() []*tool.Tool {
	type city struct {
		City string `json:"city" jsonschema:"the city's name"`
	}
	weather := tool.New("get_weather", "Tells the weather of a city.", func(_ context.Context, _ *tool.Call, in city) (tool.Result, error) {
		return tool.Result{Text: fmt.Sprintf(`{"city":%q,"celsius":%d}`, in.City, len(in.City))}, nil
	})
	clock := tool.New("get_time", "Tells the local time of a city.", func(_ context.Context, call *tool.Call, in city) (tool.Result, error) {
		call.Progress("asking", "Asking the clock of "+in.City, 0.5)
		return tool.Result{Text: fmt.Sprintf(`{"city":%q,"time":"12:00"}`, in.City)}, nil
	})
	crash := tool.New("crash", "Panics.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) { panic("this tool always panics") })
	slow := tool.New("slow", "Goes on until it is cancelled.", func(ctx context.Context, _ *tool.Call, _ struct{}) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	slow.Policy.Timeout = patience
	harmless := append([]*tool.Tool{weather, clock, crash, slow, chartTool(), rowsTool()}, append(stateTools(), gateTools()...)...)
	for _, t := range harmless {
		t.Effect = tool.Read
	}
	all := append(harmless, effectTools()...)
	for _, t := range all {
		t.Global = true
	}
	return all
}

// chartTool shows a card in addition to its text.
func chartTool() *tool.Tool {
	type input struct {
		Title  string `json:"title"`
		Values []int  `json:"values"`
	}
	chart := tool.New("draw_chart", "Shows values as a chart.", func(_ context.Context, _ *tool.Call, in input) (tool.Result, error) {
		return tool.Result{Text: fmt.Sprintf(`{"shown":%d}`, len(in.Values)), Payload: in}, nil
	})
	chart.PayloadType = "chart"
	return chart
}

// rowsTool returns more than a model is shown at once.
func rowsTool() *tool.Tool {
	type input struct {
		Count int `json:"count"`
	}
	type row struct {
		Number int    `json:"number"`
		Name   string `json:"name"`
	}
	return tool.New("list_rows", "Lists rows.", func(_ context.Context, _ *tool.Call, in input) (tool.Result, error) {
		rows := make([]row, min(in.Count, 10_000))
		for i := range rows {
			rows[i] = row{i, fmt.Sprintf("the row with the number %d", i)}
		}
		text, err := json.Marshal(rows)
		return tool.Result{Text: string(text)}, err
	})
}
