package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/test/must"
)

// command does what a line says, and returns what comes of it.
type command func(c *conversation, who, rest string) []string

// commands are what a line may begin with, behind the user.
var commands map[string]command

func init() {
	commands = map[string]command{
		// what models do next
		"model": func(c *conversation, _, rest string) []string { c.model.plays(c.step(rest)); return nil },
		"own":   func(c *conversation, _, rest string) []string { c.own.plays(rest); return nil },
		"title": func(c *conversation, _, rest string) []string { c.titles.plays(c.step(rest)); return nil },

		// requests
		"says":   func(c *conversation, who, rest string) []string { return c.posted(who, rest, true) },
		"posts":  func(c *conversation, who, rest string) []string { return c.posted(who, rest, false) },
		"starts": func(c *conversation, who, rest string) []string { return c.started(who, rest, true) },
		// without a message
		"begins": func(c *conversation, who, rest string) []string { return c.started(who, rest, false) },
		"gone":   (*conversation).leave, // run: the client of a request that waits
		"cancel": func(c *conversation, who, id string) []string {
			return c.tried(c.Cancel(c.t.Context(), c.owner(who), id))
		},
		"read":   func(c *conversation, _, id string) []string { return showEvents(c.readToEnd(c.runs[id], false)) },
		"follow": (*conversation).follow, // {run or thread, after, old}: to the end
		"open":   (*conversation).open,   // the same, for "more"
		"look":   (*conversation).look,   // run: opens a reader of its own
		"more":   func(c *conversation, _, _ string) []string { return c.readers["it"].more(c) },
		"close":  (*conversation).closeReader,
		"shows":  func(c *conversation, who, _ string) []string { return c.shownOf(who) },

		// time and processes
		"wait":    (*conversation).wait,
		"restart": (*conversation).restart, // setup: runs are handed over
		"crash":   (*conversation).crash,
		"falls":   (*conversation).falls,        // before StartCall, says hello: it dies there
		"drain":   (*conversation).drain,        // 4s
		"store":   (*conversation).ails,         // full, blind, well …; moves run: the head
		"fence":   (*conversation).fence,        // run: another process takes it over
		"left":    (*conversation).leavesBehind, // run: an earlier process has left it behind

		// what is stored
		"thread":  (*conversation).showThread,
		"run":     (*conversation).showRun,
		"runs":    (*conversation).showRuns,
		"journal": (*conversation).showJournal,
		"usage":   (*conversation).showUse,
		"schemas": (*conversation).showSchemas, // run: of the answers to what it asks
		"rename":  (*conversation).rename,
		"delete":  (*conversation).remove,
		"head":    (*conversation).head,
		"rate":    (*conversation).rate,
		"purge":   (*conversation).purge,
		"insert":  (*conversation).insert, // JSON: a message in a run of its own
		"instruct": func(c *conversation, who, rest string) []string {
			return c.instruct(ownerOf(c.principal(who)), rest)
		},
		"brings": (*conversation).brings,
		"forget": func(c *conversation, who, _ string) []string {
			return c.tried(c.Forget(c.t.Context(), c.owner(who)))
		},

		// what else users do
		"decide":     (*conversation).decide, // message status: about a card
		"allowances": (*conversation).showAllowances,
		"revoke":     (*conversation).revoke,
		"revoked":    (*conversation).revoked, // thread id: by another process
		"crowd":      (*conversation).crowd,   // thread: it gets as many allowances as it may have
		"share":      (*conversation).shareThread,
		"reads":      (*conversation).readsShare, // 1: of those that were made
		"shares":     (*conversation).expiredShares,

		// what was told to whom
		"prompt":  (*conversation).showPrompt,
		"system":  func(c *conversation, _, _ string) []string { return showLines(systemText(c.model.last())) },
		"offered": (*conversation).showOffered,
		"audit":   (*conversation).showAudit,
		"log":     func(c *conversation, _, _ string) []string { return showLines(c.log.Take()) },
	}
}

// plays adds a step.
func (m *steps) plays(s step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.play = append(m.play, s)
}

func (m *steps) last() *llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[len(m.asked)-1]
}

func (c *conversation) tried(err error) []string {
	if err != nil {
		return []string{showRefusal(err)}
	}
	return nil
}

func (c *conversation) owner(who string) store.Owner { return ownerOf(c.principal(who)) }

func (c *conversation) leave(_, id string) []string {
	for _, s := range c.waiting {
		if s.id == id {
			s.gone()
			break // the first of them
		}
	}
	return nil
}

func (c *conversation) follow(who, rest string) []string {
	reader, err := c.followed(who, rest)
	if err != nil {
		return []string{showRefusal(err)}
	}
	return showEvents(decode(c.t, readAll(c.t, reader)))
}

func (c *conversation) open(who, rest string) []string {
	reader, err := c.followed(who, rest)
	if err == nil {
		c.readers["it"] = &opened{reader, agui.NewVerifier()}
	}
	return c.tried(err)
}

func (c *conversation) look(_, id string) []string {
	c.readers["it"] = &opened{c.runs[id].Read(false), agui.NewVerifier()}
	return nil
}

func (c *conversation) closeReader(_, _ string) []string {
	c.readers["it"].reader.Close()
	delete(c.readers, "it")
	return nil
}

func (c *conversation) wait(_, rest string) []string {
	time.Sleep(must.Get(time.ParseDuration(rest))(c.t))
	synctest.Wait()
	return nil
}

func (c *conversation) restart(_, setup string) []string {
	c.stop()
	if setup != "" {
		c.setup = c.readSetup("setup " + setup)
	}
	c.begin()
	return nil
}

func (c *conversation) crash(_, setup string) []string {
	c.process.Die()
	return c.restart("", setup)
}

// falls does a line in which the process dies, at the next operation of a name. What a client sees
// of that is chance.
func (c *conversation) falls(_, rest string) []string {
	when, rest, _ := strings.Cut(rest, " ")
	op, line, _ := strings.Cut(rest, ", ")
	c.process.DieAtNext(op, when == "after")
	did := c.do(line)
	must.Be(c.t, c.process.Dead(), true, "%s: whether the process dies", line)
	return slices.DeleteFunc(did, func(did string) bool { return !strings.HasPrefix(did, "ran ") })
}

func (c *conversation) drain(_, rest string) []string {
	grace, stop := context.WithTimeout(c.t.Context(), must.Get(time.ParseDuration(rest))(c.t))
	defer stop()
	c.Drain(grace)
	return nil
}

func (c *conversation) ails(_, how string) []string {
	c.sick.mu.Lock()
	defer c.sick.mu.Unlock()
	must.Be(c.t, c.sick.moves, "", "moves of the head that did not come")
	c.ailing = how
	how, c.sick.moves, _ = strings.Cut(how, " ")
	c.sick.sick = map[string]error{"full": store.ErrFull, "untaintable": errors.New("no"), "blind": store.ErrFull}[how]
	c.sick.only = map[string]string{"untaintable": "TaintRun", "blind": "FindAllowances"}[how]
	return nil
}

func (c *conversation) fence(who, id string) []string {
	_, err := c.disk.TakeOver(c.t.Context(), c.owner(who), id)
	return c.tried(err)
}

func (c *conversation) leavesBehind(who, id string) []string {
	c.threads["t1"] = true
	row := store.Run{ID: id, ThreadID: "t1", Agent: "default", Fingerprint: "f" + id}
	return c.tried(c.disk.BeginRun(c.t.Context(), c.owner(who), row, messages("u1"), store.Batch{}))
}

func (c *conversation) showThread(who, rest string) []string {
	id, at, _ := strings.Cut(orElse(rest, "t1"), " ")
	thread, err := c.disk.Thread(c.t.Context(), c.owner(who), id)
	if err != nil {
		return []string{err.Error()}
	}
	stored := must.Get(c.disk.Transcript(c.t.Context(), c.owner(who), id, at))(c.t)
	return append([]string{fmt.Sprintf("%q", thread.Title)}, showMessages(stored)...)
}

func (c *conversation) showRun(who, id string) []string {
	row, err := c.disk.Run(c.t.Context(), c.owner(who), id)
	if err != nil {
		return []string{err.Error()}
	}
	return []string{showRow(row)}
}

func showRow(row store.Run) string {
	tainted := map[bool]string{true: "tainted"}[row.Tainted]
	epoch := ""
	if row.Epoch > 1 {
		epoch = fmt.Sprint("epoch ", row.Epoch)
	}
	return present(row.ID, string(row.Status), row.Error, perhaps("after %s", row.ParentRunID), tainted, epoch,
		perhaps("waits for %s", strings.Join(row.Pending, " ")), perhaps("used %s", string(row.Usage)),
		perhaps("state %s", string(row.State)), perhaps("asks %s", strings.Join(askedIn(row), " ")))
}

// askedIn returns the ids of a run's interrupts.
func askedIn(row store.Run) (ids []string) {
	var open []struct{ ID string }
	_ = json.Unmarshal(row.Interrupts, &open)
	for _, i := range open {
		ids = append(ids, i.ID)
	}
	return ids
}

func (c *conversation) showSchemas(who, id string) (told []string) {
	var open []struct{ ResponseSchema json.RawMessage }
	must.Do(c.t, json.Unmarshal(must.Get(c.disk.Run(c.t.Context(), c.owner(who), id))(c.t).Interrupts, &open))
	for _, i := range open {
		told = append(told, string(i.ResponseSchema))
	}
	return told
}

func (c *conversation) showRuns(who, thread string) (told []string) {
	rows, err := c.disk.Runs(c.t.Context(), c.owner(who), orElse(thread, "t1"))
	for _, row := range rows {
		told = append(told, showRow(row))
	}
	return append(told, c.tried(err)...)
}

func (c *conversation) showJournal(who, id string) (told []string) {
	for _, call := range must.Get(c.disk.ToolCalls(c.t.Context(), c.owner(who), id))(c.t) {
		told = append(told, present(call.ID, call.Tool, string(call.Args), string(call.State), call.Result))
	}
	return told
}

func (c *conversation) showUse(who, _ string) []string {
	u := must.Get(c.Usage(c.t.Context(), c.owner(who)))(c.t)
	live := fmt.Sprintf("%d runs, %d of the tenant", u.Runs, u.TenantRuns)
	return []string{fmt.Sprintf("%s; used %d tokens, holds %d", live, u.User.Used.Tokens, u.User.Held.Tokens)}
}

func (c *conversation) changed(who, id string, change store.ThreadChange) []string {
	_, err := c.disk.UpdateThread(c.t.Context(), c.owner(who), id, change)
	return c.tried(err)
}

func (c *conversation) rename(who, title string) []string {
	return c.changed(who, "t1", store.ThreadChange{Title: &title})
}

func (c *conversation) remove(who, id string) []string {
	return c.changed(who, id, store.ThreadChange{Deleted: new(true)})
}

func (c *conversation) head(who, run string) []string {
	return c.changed(who, "t1", store.ThreadChange{Head: &run})
}

func (c *conversation) rate(who, id string) []string {
	rated := func(m agui.Message) (json.RawMessage, error) { return agui.WithRating(m.Metadata, 1) }
	return c.tried(c.disk.SetMessageMetadata(c.t.Context(), c.owner(who), "t1", id, rated))
}

func (c *conversation) purge(_, _ string) []string {
	n, err := c.disk.PurgeEvents(c.t.Context(), time.Now().Add(time.Hour))
	return append(c.tried(err), fmt.Sprintf("the events of %d runs are gone", n))
}

func (c *conversation) insert(who, line string) []string {
	c.threads["t1"] = true
	m := must.Get(agui.UnmarshalMessage([]byte(line)))(c.t)
	row := store.Run{ID: "of-" + m.ID, ThreadID: "t1", Agent: "default"}
	must.Do(c.t, c.disk.BeginRun(c.t.Context(), c.owner(who), row, []agui.Message{m}, store.Batch{}))
	row.Status = store.RunFinished
	return c.tried(c.disk.EndRun(c.t.Context(), c.owner(who), row, nil, store.Batch{}))
}

func (c *conversation) instruct(o store.Owner, rest string) []string {
	scope, text, _ := strings.Cut(rest, " ")
	kind, id, _ := strings.Cut(scope, ":")
	return c.tried(c.disk.PutInstructions(c.t.Context(), o, store.Instructions{Kind: kind, ID: id, Text: text}))
}

func (c *conversation) decide(who, rest string) []string {
	id, status, _ := strings.Cut(rest, " ")
	return c.tried(c.SetPayloadStatus(c.t.Context(), c.owner(who), "t1", id, status))
}

func (c *conversation) showAllowances(who, thread string) (told []string) {
	all, err := c.Allowances(c.t.Context(), c.owner(who), thread)
	if thread == "" {
		all, err = c.UserAllowances(c.t.Context(), c.owner(who))
	}
	for _, a := range all {
		active := map[bool]string{true: "active", false: "not active"}[a.Active]
		open := perhaps("open %s", strings.Join(a.OpenArgs, " "))
		age := a.ExpiresAt.Sub(a.CreatedAt).String()
		told = append(told, present(a.ID, a.Tool, string(a.Args), open, active, "since", a.RunID, "for", age))
	}
	return append(told, c.tried(err)...)
}

// revoke takes the thread, if any, and the allowance.
func (c *conversation) revoke(who, rest string) []string {
	thread, id, ok := strings.Cut(rest, " ")
	if !ok {
		thread, id = "", rest
	}
	return c.tried(c.RevokeAllowance(c.t.Context(), c.owner(who), thread, id))
}

func (c *conversation) revoked(who, rest string) []string {
	thread, id, _ := strings.Cut(rest, " ")
	return c.tried(c.disk.RevokeAllowance(c.t.Context(), c.owner(who), thread, id))
}

func (c *conversation) crowd(who, thread string) []string {
	o, row := c.owner(who), store.Run{ID: "crowd", ThreadID: thread, Agent: "default"}
	must.Do(c.t, c.disk.BeginRun(c.t.Context(), o, row, nil, store.Batch{}))
	given := must.Get(c.disk.Allowances(c.t.Context(), o, thread))(c.t)
	for i := range maxAllowances - len(given) {
		a := given[0]
		a.ID, a.RunID, a.ArgsHash = fmt.Sprint("alw", i), row.ID, fmt.Sprint("sha256:", i)
		must.Do(c.t, c.disk.GiveAllowance(c.t.Context(), o, a))
	}
	row.Status = store.RunFinished
	return c.tried(c.disk.EndRun(c.t.Context(), o, row, nil, store.Batch{}))
}

func (c *conversation) shareThread(who, rest string) []string {
	thread, age, _ := strings.Cut(rest, " ")
	share, token, err := c.Share(c.t.Context(), c.owner(who), thread, must.Get(time.ParseDuration(orElse(age, "24h")))(c.t))
	if err != nil {
		return c.tried(err)
	}
	if stored, err := json.Marshal(share); err != nil || bytes.Contains(stored, []byte(token)) || len(token) < 26 {
		c.t.Errorf("the store has the token %s in %s, %v", token, stored, err)
	}
	c.tokens = append(c.tokens, token)
	return []string{fmt.Sprintf("as %d", len(c.tokens))}
}

func (c *conversation) readsShare(who, rest string) []string {
	var n int
	must.Get(fmt.Sscan(rest, &n))(c.t)
	found, err := c.OpenShare(c.t.Context(), c.owner(who).Tenant, c.tokens[n-1])
	if err != nil {
		return c.tried(err)
	}
	raw := must.JSON[[]json.RawMessage](c.t, found.Share.Messages)
	told := []string{fmt.Sprintf("%q", found.Share.Title)}
	for _, m := range raw {
		told = append(told, showMessages([]agui.Message{must.Get(agui.UnmarshalMessage(m))(c.t)})...)
	}
	return told
}

// expiredShares purges those that nobody can read any more, which the manager should have done.
func (c *conversation) expiredShares(_, _ string) []string {
	n := must.Get(c.disk.PurgeShares(c.t.Context(), time.Now()))(c.t)
	return []string{fmt.Sprintf("%d are left that have expired", n)}
}

func showLines(text string) (told []string) {
	for line := range strings.Lines(text) {
		told = append(told, strings.TrimSpace(line))
	}
	return told
}

// showPrompt shows what the model was asked last, behind its instructions.
func (c *conversation) showPrompt(_, _ string) (told []string) {
	for _, m := range c.model.last().Messages {
		for _, part := range m.Content {
			told = append(told, showLines(m.Role+": "+showContent(part))...)
		}
	}
	return told
}

func showContent(part llm.Content) string {
	switch part := part.(type) {
	case llm.Text:
		return part.String()
	case llm.ToolCall:
		return fmt.Sprintf("call %s %s %s", part.ID, part.Name, part.Args)
	case llm.ToolResult:
		return fmt.Sprintf("result of %s: %s", part.ID, part.Content.String())
	}
	return fmt.Sprintf("%T", part)
}

func (c *conversation) showOffered(_, _ string) []string {
	var offered []string
	for _, d := range c.model.last().Tools {
		offered = append(offered, d.Name)
	}
	return []string{strings.Join(offered, " ")}
}

// showAudit shows what the audit log has since the last time.
func (c *conversation) showAudit(_, _ string) (told []string) {
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	for _, e := range c.book.entries {
		by := e.Principal.Subject
		if e.Principal.Method == "server" {
			by += " (server)"
		}
		what := present(string(e.Kind), e.Decision, e.Outcome, e.Tool)
		if e.Kind == audit.Allowance && e.ArgsHash != "" {
			what += " by " + e.Rule + " of " + strings.TrimPrefix(e.ArgsHash, "sha256:")[:6]
		}
		told = append(told, present(by, what, e.ThreadID, e.RunID, e.CallID, perhaps("(%s)", e.Detail)))
	}
	c.book.entries = slices.Clone(c.book.entries[:0])
	return told
}
