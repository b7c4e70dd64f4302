package demo

import (
	"context"
	"fmt"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

type clientInput struct {
	ClientIP string `json:"clientip" jsonschema:"the client's address, as the field clientip has it"`
}

// clientFacts is what the log shows about one client.
type clientFacts struct {
	ClientIP    string       `json:"clientip"`
	Requests    int64        `json:"requests"`
	Share       float64      `json:"share"` // of all requests, in percent
	First       any          `json:"first,omitempty"`
	Last        any          `json:"last,omitempty"`
	Errors      int64        `json:"errors"` // status 400 and above
	Pages       []valueCount `json:"pages,omitempty"`
	Statuses    []valueCount `json:"statuses,omitempty"`
	Browsers    []valueCount `json:"browsers,omitempty"`
	BusiestHour any          `json:"busiestHour,omitempty"`
	InThatHour  int64        `json:"inThatHour,omitempty"`
	Verdict     string       `json:"verdict"`
}

func (d *Demo) lookUpClient(ctx context.Context, call *tool.Call, in clientInput) (any, error) {
	chosen, err := d.choose("source=access_log | where clientip = "+ppl.Quote(in.ClientIP), nil, nil)
	if err != nil {
		return nil, err
	}
	f := &clientFacts{ClientIP: visible.Clip(in.ClientIP, 100)}
	for i, s := range f.steps(int64(d.log.Stats.Count)) {
		if i > 0 && f.Requests == 0 {
			break
		}
		call.Progress(s.stage, s.message, float64(i)/5)
		rows, err := chosen.Aggregate(ctx, d.log.DB, s.commands)
		if err != nil {
			return nil, err
		}
		s.read(rows)
	}
	f.Verdict = f.verdict()
	return f, nil
}

// factStep fills in some facts from the result of commands over the client's requests.
type factStep struct {
	stage, message, commands string
	read                     func(rows [][]any)
}

func (f *clientFacts) steps(all int64) []factStep {
	values := func(into *[]valueCount) func([][]any) {
		return func(rows [][]any) { *into = counted(ppl.String, rows, f.Requests) }
	}
	return []factStep{
		{"requests", "Counting its requests", "stats count(), min(timestamp), max(timestamp), count(eval(status >= 400))", func(rows [][]any) {
			f.Requests, f.Errors = asInt(rows[0][0]), asInt(rows[0][3])
			f.Share = percent(f.Requests, all)
			f.First, f.Last = publicValue(ppl.Time, rows[0][1]), publicValue(ppl.Time, rows[0][2])
		}},
		{"pages", "Reading what it asked for", "top 5 path", values(&f.Pages)},
		{"answers", "Reading what it got", "top 8 status", values(&f.Statuses)},
		{"browsers", "Reading what it says it is", "top 3 browser", values(&f.Browsers)},
		{"hours", "Finding its busiest hour", "stats count() as n by span(timestamp, 1h) | sort - n | head 1", func(rows [][]any) {
			f.InThatHour, f.BusiestHour = asInt(rows[0][0]), publicValue(ppl.Time, rows[0][1])
		}},
	}
}

// verdict describes what the numbers suggest.
func (f *clientFacts) verdict() string {
	bot := len(f.Browsers) > 0 && (f.Browsers[0].Value == "Bot" || f.Browsers[0].Value == "Tool")
	failed := percent(f.Errors, f.Requests)
	switch {
	case f.Requests == 0:
		return "The log has no request of this client."
	case failed >= 60 && f.Requests >= 50:
		return fmt.Sprintf("%.0f%% of its requests failed: that looks like a scanner, or a client with a stale address.", failed)
	case bot:
		return "It calls itself a crawler or a library: an automated client."
	case f.Requests >= 50 && 2*f.InThatHour >= f.Requests:
		return "Half or more of its requests came within one hour: a burst."
	}
	return "It looks like an ordinary visitor."
}
