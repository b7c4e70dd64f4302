package demo

import (
	"context"
	"fmt"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/demo/rest"
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

func (d *Demo) lookUpClient() *tool.Tool {
	return readTool("look_up_client", "Gathers what the whole log knows about one client, step by step: requests, pages, statuses, browsers, busiest hour, and what kind of client that suggests.",
		func(ctx context.Context, call *tool.Call, in clientInput) (any, error) {
			chosen, err := d.choose("source=access_log | where clientip = "+ppl.Quote(in.ClientIP), nil, nil)
			if err != nil {
				return nil, err
			}
			facts := &clientFacts{ClientIP: rest.Clip(in.ClientIP, 100)}
			err = d.lookUp(ctx, call, chosen.Plan, facts)
			facts.Verdict = facts.verdict()
			return facts, err
		})
}

// lookUp fills in the facts, step by step.
func (d *Demo) lookUp(ctx context.Context, call *tool.Call, plan *ppl.Plan, facts *clientFacts) error {
	top := func(field string, limit int, into *[]valueCount) func() error {
		return func() (err error) {
			f, _ := d.schema.Field(field)
			*into, err = d.countValues(ctx, f, plan, limit)
			for i := range *into {
				(*into)[i].Percent = percent((*into)[i].Count, facts.Requests)
			}
			return err
		}
	}
	steps := []struct {
		stage, message string
		run            func() error
	}{
		{"requests", "Counting its requests", func() error { return d.countClient(ctx, plan, facts) }},
		{"pages", "Reading what it asked for", top("path", 5, &facts.Pages)},
		{"answers", "Reading what it got", top("status", 8, &facts.Statuses)},
		{"browsers", "Reading what it says it is", top("browser", 3, &facts.Browsers)},
		{"hours", "Finding its busiest hour", func() error { return d.busiestHour(ctx, plan, facts) }},
	}
	for i, s := range steps {
		call.Progress(s.stage, s.message, float64(i)/float64(len(steps)))
		if err := s.run(); err != nil || facts.Requests == 0 {
			return err
		}
	}
	return nil
}

func (d *Demo) countClient(ctx context.Context, plan *ppl.Plan, f *clientFacts) error {
	rows, err := d.aggregate(ctx, plan, "stats count(), min(timestamp), max(timestamp), count(eval(status >= 400))")
	if err != nil {
		return err
	}
	f.Requests, f.Errors = asInt(rows[0][0]), asInt(rows[0][3])
	f.Share = percent(f.Requests, int64(d.log.Stats.Total))
	f.First, f.Last = publicValue(ppl.Time, rows[0][1]), publicValue(ppl.Time, rows[0][2])
	return nil
}

func (d *Demo) busiestHour(ctx context.Context, plan *ppl.Plan, f *clientFacts) error {
	rows, err := d.aggregate(ctx, plan, "stats count() as n by span(timestamp, 1h) | sort - n | head 1")
	for _, row := range rows {
		f.InThatHour, f.BusiestHour = asInt(row[0]), publicValue(ppl.Time, row[1])
	}
	return err
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
