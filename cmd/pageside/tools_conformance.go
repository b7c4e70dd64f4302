//go:build conformance

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/pageside/pageside/tool"
)

// extraTools are tools with which stock clients are tested against the real binary.
func extraTools() []*tool.Tool {
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
	slow := tool.New("slow", "Takes three seconds.", func(ctx context.Context, _ *tool.Call, _ struct{}) (tool.Result, error) {
		select {
		case <-time.After(3 * time.Second):
			return tool.Result{Text: "done"}, nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	})
	all := []*tool.Tool{weather, clock, crash, slow}
	for _, t := range all {
		t.Global, t.Effect = true, tool.Read
	}
	return all
}
