package seeds

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// stock is a client that knows nothing of Pageside: it sends all it holds, as HttpAgent does.
type stock struct {
	*world
	held  []string // messages as JSON
	runs  int
	looks int
}

func (c *stock) say(id, text string) *stock {
	c.held = append(c.held, fmt.Sprintf(`{"id":%q,"role":"user","content":%q}`, id, text))
	return c
}

// send posts what the client holds and adds the answer's text. more are further fields as JSON.
func (c *stock) send(more string) []event {
	c.t.Helper()
	c.runs++
	all := c.run(fmt.Sprintf(`{"threadId":"t1","runId":"r%d","state":{},"messages":[%s],"tools":[],"context":[],"forwardedProps":{}%s}`, c.runs, strings.Join(c.held, ","), more))
	id, text := "", ""
	for _, e := range append(named(all, "TEXT_MESSAGE_START"), named(all, "TEXT_MESSAGE_CONTENT")...) {
		part := must.JSON[struct{ MessageID, Delta string }](c.t, e.Raw)
		id, text = part.MessageID, text+part.Delta
	}
	if id != "" {
		c.held = append(c.held, fmt.Sprintf(`{"id":%q,"role":"assistant","content":%q}`, id, text))
	}
	return all
}

// shown is what a client that is loaded now is shown.
func (c *stock) shown() string {
	c.t.Helper()
	var snapshot struct {
		Messages []struct{ Role, Content string }
	}
	c.looks++
	all := c.run(fmt.Sprintf(`{"threadId":"t1","runId":"look%d","messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{}}`, c.looks))
	must.Do(c.t, json.Unmarshal(named(all, "MESSAGES_SNAPSHOT")[0].Raw, &snapshot))
	var lines []string
	for _, m := range snapshot.Messages {
		lines = append(lines, m.Content)
	}
	return strings.Join(lines, " | ")
}

func (c *stock) want(shown string) {
	c.t.Helper()
	must.Be(c.t, c.shown(), shown, "the thread shows")
}

// TestStockClientsDecideByWhatTheyHold, over HTTP and restarts: another answer, an edited question,
// a shortened conversation.
func TestStockClientsDecideByWhatTheyHold(t *testing.T) {
	w := start(t, oneAgent, nil)
	c := &stock{world: w}
	w.model.will(says("One."), says("Two."), says("Three."), says("Four."), says("Five."))
	c.say("u1", "First?").send("")
	c.say("u2", "Second?").send("")
	c.want("First? | One. | Second? | Two.")

	c.held = c.held[:3]
	c.send("")
	c.want("First? | One. | Second? | Three.")

	w.restart()
	c.held = c.held[:2]
	c.say("u2", "Changed?").send("")
	c.want("First? | One. | Changed? | Four.")

	c.held = c.held[:2]
	c.say("u4", "Another?").send("")
	c.want("First? | One. | Another? | Five.")
	must.Lack(t, prompt(w.model.asked()[4]), "Changed?", "the model reads")
	must.Lack(t, prompt(w.model.asked()[4]), "Second?", "the model reads")
	runs := w.get("/v1/threads/t1/runs")
	must.Be(t, strings.Count(runs, `"parentRunId":"r1"`), 4, "runs go on from the first: %s", runs)
}

// TestStockClientsAnswerUnderTheSameID: the run that asked goes on under its id, once, also after a
// restart.
func TestStockClientsAnswerUnderTheSameID(t *testing.T) {
	paid := 0
	pay := tool.New("pay", "Pays.", func(context.Context, *tool.Call, struct{}) (tool.Result, error) {
		paid++
		return tool.Result{Text: "paid"}, nil
	})
	pay.Global, pay.Policy.Approval = true, tool.ApprovalAlways
	w := start(t, oneAgent+"permissions: [{agents: ['*'], pages: ['*'], tools: ['*'], then: allow}]\n", func(o *config.Options) { o.Tools = []*tool.Tool{pay} })
	c := &stock{world: w}
	w.model.will(calls("c1", "pay", "{}"), says("Paid."))
	end := must.JSON[struct {
		Outcome struct{ Interrupts []struct{ ID string } }
	}](t, named(c.say("u1", "Pay.").send(""), "RUN_FINISHED")[0].Raw)
	w.restart()
	for range 2 {
		c.runs = 0 // under the id of the run that asked
		all := c.send(fmt.Sprintf(`,"resume":[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]`, end.Outcome.Interrupts[0].ID))
		must.Have(t, string(named(all, "RUN_STARTED")[0].Raw), `"runId":"r1"`, "it begins with")
		c.held = c.held[:1]
	}
	must.Be(t, paid, 1, "times that it paid")
	w.refuses(http.StatusConflict, "run_conflict", http.MethodPost, runPath,
		`{"threadId":"t1","runId":"r1","messages":[{"id":"u9","role":"user","content":"Else?"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`)
}
