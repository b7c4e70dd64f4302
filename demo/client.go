package demo

import (
	"context"
	"fmt"

	"github.com/pageside/pageside/demo/ppl"
	"github.com/pageside/pageside/tool"
)

type clientInput struct {
	ClientIP string `json:"clientip" jsonschema:"the client's address, as the field clientip has it"`
}

// clientFacts is what the log knows about one client.
type clientFacts struct {
	ClientIP    string       `json:"clientip"`
	Requests    int64        `json:"requests"`
	Share       float64      `json:"share"` // of all requests, in percent
	First       string       `json:"first,omitempty"`
	Last        string       `json:"last,omitempty"`
	Errors      int64        `json:"errors"` // status 400 and above
	Pages       []valueCount `json:"pages,omitempty"`
	Statuses    []valueCount `json:"statuses,omitempty"`
	Browsers    []valueCount `json:"browsers,omitempty"`
	BusiestHour string       `json:"busiestHour,omitempty"`
	InThatHour  int64        `json:"inThatHour,omitempty"`
	Verdict     string       `json:"verdict"`
}

// A step of looking a client up.
type lookup struct {
	stage, message string
	run            func(context.Context, *ppl.Plan, *clientFacts) error
}

func (d *Demo) lookUpClient() *tool.Tool {
	t := tool.New("look_up_client", "Gathers what the whole log knows about one client, step by step: requests, pages, statuses, browsers, busiest hour, and what kind of client that suggests.",
		func(ctx context.Context, call *tool.Call, in clientInput) (tool.Result, error) {
			return d.lookUp(ctx, call, in)
		})
	t.Effect, t.Category, t.Policy.Timeout = tool.Read, "discover", toolTimeout
	return t
}

func (d *Demo) lookUp(ctx context.Context, call *tool.Call, in clientInput) (tool.Result, error) {
	plan, err := d.everything(&ppl.Compare{Op: "=", Left: ppl.Name{Text: "clientip"}, Right: ppl.StringLiteral(in.ClientIP)})
	if err != nil {
		return tool.Result{}, asToolError(err)
	}
	facts := &clientFacts{ClientIP: clip(in.ClientIP, 100)}
	steps := []lookup{
		{"requests", "Counting its requests", d.countClient},
		{"pages", "Reading what it asked for", d.values("path", 5, func(f *clientFacts) *[]valueCount { return &f.Pages })},
		{"answers", "Reading what it got", d.values("status", 8, func(f *clientFacts) *[]valueCount { return &f.Statuses })},
		{"browsers", "Reading what it says it is", d.values("browser", 3, func(f *clientFacts) *[]valueCount { return &f.Browsers })},
		{"hours", "Finding its busiest hour", d.busiestHour},
	}
	for i, s := range steps {
		call.Progress(s.stage, s.message, float64(i)/float64(len(steps)))
		if err := s.run(ctx, plan, facts); err != nil {
			return tool.Result{}, fmt.Errorf("look up client, %s: %w", s.stage, err)
		}
		if facts.Requests == 0 {
			break
		}
	}
	facts.Verdict = facts.verdict()
	return jsonResult(facts)
}

func (d *Demo) countClient(ctx context.Context, plan *ppl.Plan, f *clientFacts) error {
	timestamp, status := &ppl.Name{Text: timeField}, ppl.Name{Text: "status"}
	rows, err := d.aggregate(ctx, plan, &ppl.Stats{Aggs: []ppl.Agg{{Func: "count"}, {Func: "min", Field: timestamp}, {Func: "max", Field: timestamp},
		{Func: "count", If: &ppl.Compare{Op: ">=", Left: status, Right: ppl.IntLiteral(400)}}}})
	if err != nil {
		return err
	}
	f.Requests, f.Errors = asInt(rows[0][0]), asInt(rows[0][3])
	f.Share = percent(f.Requests, int64(d.log.Stats.Total))
	if f.Requests > 0 {
		f.First, _ = publicValue(ppl.Time, rows[0][1]).(string)
		f.Last, _ = publicValue(ppl.Time, rows[0][2]).(string)
	}
	return nil
}

// values is the step that fills one list of the facts.
func (d *Demo) values(field string, limit int, into func(*clientFacts) *[]valueCount) func(context.Context, *ppl.Plan, *clientFacts) error {
	return func(ctx context.Context, plan *ppl.Plan, facts *clientFacts) error {
		f, _ := d.schema.Field(field)
		found, err := d.countValues(ctx, f, plan, limit)
		for i := range found {
			found[i].Percent = percent(found[i].Count, facts.Requests)
		}
		*into(facts) = found
		return err
	}
}

func (d *Demo) busiestHour(ctx context.Context, plan *ppl.Plan, f *clientFacts) error {
	count := ppl.Name{Text: "the count"}
	rows, err := d.aggregate(ctx, plan,
		&ppl.Stats{Aggs: []ppl.Agg{{Func: "count", Alias: &count}}, By: []ppl.Group{{Field: ppl.Name{Text: timeField}, Span: &ppl.Span{Size: 1, Unit: "h"}}}},
		&ppl.Sort{Keys: []ppl.SortKey{{Field: count, Desc: true}}, Count: 1})
	if err == nil && len(rows) > 0 {
		f.InThatHour = asInt(rows[0][0])
		f.BusiestHour, _ = publicValue(ppl.Time, rows[0][1]).(string)
	}
	return err
}

// verdict says in words what the numbers suggest.
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
