package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/store"
)

// Limits keep some users' runs from using what belongs to all. Zero means the default; negative,
// and zero where no default is named, means no limit.
type Limits struct {
	UserRuns   int // an owner's live and waiting runs; default 32
	TenantRuns int // a tenant's
	ThreadLine int // runs waiting for one thread; default 4

	// Bytes of the inputs of runs that have not begun, by Request.Size: of all, and of one owner.
	// Defaults 64 MiB and 16 MiB.
	Inputs, UserInputs int64

	Messages int // messages of one request; default 10,000
	// attachments of one thread, in number and in bytes; defaults 500 and 64 MiB
	Attachments     int
	AttachmentBytes int64

	Run store.Amount // what one run's model calls may use
	Day store.Quotas // what they may use in a day
}

func (l Limits) withDefaults() Limits {
	l.UserRuns = cmp.Or(l.UserRuns, 32)
	l.ThreadLine = cmp.Or(l.ThreadLine, 4)
	l.Inputs = cmp.Or(l.Inputs, 64<<20)
	l.UserInputs = cmp.Or(l.UserInputs, 16<<20)
	l.Messages = cmp.Or(l.Messages, 10_000)
	l.Attachments = cmp.Or(l.Attachments, 500)
	l.AttachmentBytes = cmp.Or(l.AttachmentBytes, 64<<20)
	return l
}

// Names of limits, in Error.Limit and in the audit log.
const (
	limitUserRuns   = "user.runs"
	limitTenantRuns = "tenant.runs"
	limitThreadLine = "thread.waiting"
	limitInputs     = "inputs"
	limitUserInputs = "user.inputs"
	limitRunTokens  = "run.tokens"
	limitRunDollars = "run.dollars"
)

// tooMany returns the error for a limit on what runs hold at a time. They end sooner or later.
func tooMany(limit, message string) *Error {
	return &Error{Code: CodeTooManyRuns, Limit: limit, Message: message, Retry: 2 * time.Second}
}

// overQuota returns the error for a quota of a day.
func overQuota(e *store.QuotaError) *Error {
	return &Error{
		Code: CodeQuota, Limit: e.Scope + "." + e.Unit, Message: e.Error(),
		Retry: max(time.Second, time.Until(e.Resets)), Resets: e.Resets, Err: e,
	}
}

// report tells the audit log about a request that was refused because of a limit.
func (m *Manager) report(ctx context.Context, p auth.Principal, err error) {
	if e, ok := errors.AsType[*Error](err); ok && e.Limit != "" {
		m.limits.Reached(ctx, p, e.Limit)
	}
}

// Usage is what an owner holds and has used, beside what it may.
type Usage struct {
	Limits       Limits // those in force
	Runs         int    // live and waiting
	TenantRuns   int
	User, Tenant store.UsageSum // today
	Resets       time.Time      // when the next day begins
	Counted      bool           // usage is only counted if there is a quota
}

// Usage returns what an owner holds and has used.
func (m *Manager) Usage(ctx context.Context, o store.Owner) (u Usage, err error) {
	u = Usage{Limits: m.cfg.Limits, Resets: store.NextDay(time.Now()), Counted: m.hasQuotas()}
	u.Runs, u.TenantRuns = m.admission.of(o)
	if u.Counted {
		u.User, u.Tenant, err = m.cfg.Store.UsageToday(ctx, o)
	}
	if err != nil {
		return Usage{}, fmt.Errorf("read what was used today: %w", err)
	}
	return u, nil
}

// hasQuotas reports whether there is a limit on what may be used in a day.
func (m *Manager) hasQuotas() bool { return m.cfg.Limits.Day != (store.Quotas{}) }

// checkAttachments refuses attachments beyond what a thread may hold: each prompt brings them all.
func (m *Manager) checkAttachments(b *branch, brought []agui.Message) error {
	number, size := attachments(brought)
	if number == 0 {
		return nil
	}
	l := m.cfg.Limits
	held, bytes := attachments(b.messages)
	if l.Attachments > 0 && held+number > l.Attachments || l.AttachmentBytes > 0 && bytes+size > l.AttachmentBytes {
		return &Error{Code: CodeTooLarge, Field: "messages", Message: fmt.Sprintf(
			"a thread may hold %d attachments of %d bytes in all: this one has %d of %d bytes, and the message brings %d of %d bytes",
			l.Attachments, l.AttachmentBytes, held, bytes, number, size)}
	}
	return nil
}

// attachments counts the attachments of users' messages.
func attachments(messages []agui.Message) (number int, size int64) {
	for i := range messages {
		m := &messages[i]
		if m.Role != agui.RoleUser || m.Content.IsText() {
			continue
		}
		parts, _ := m.Content.Parts() // checked when the message was read
		before := number
		for _, p := range parts {
			if p.Type != agui.PartText {
				number++
			}
		}
		if number > before {
			size += int64(len(m.Content.Raw()))
		}
	}
	return number, size
}

// checkNew refuses a request that brings more than most bytes, beside messages that its thread has
// already; brought are the others, as they are kept. Clients repeat the whole thread with each
// request, so one that was refused for what it repeats would be refused for good.
func checkNew(most int, in *agui.RunAgentInput, brought []agui.Message) error {
	if most == 0 {
		return nil
	}
	load := sizes{}
	load.add("state", len(in.State))
	load.add("forwardedProps", len(in.ForwardedProps))
	for i := range in.Tools {
		t := &in.Tools[i]
		load.addItem("tools", i, len(t.Name)+len(t.Description)+len(t.Parameters)+len(t.Metadata))
	}
	for i := range in.Context {
		c := &in.Context[i]
		load.addItem("context", i, len(c.Description)+len(c.Value)+len(c.Source)+len(c.Type))
	}
	for i := range in.Resume {
		load.addItem("resume", i, len(in.Resume[i].Payload)+len(in.Resume[i].Metadata))
	}
	kept := make(map[string]*agui.Message, len(brought))
	for i := range brought {
		kept[brought[i].ID] = &brought[i]
	}
	for i := range in.Messages {
		if msg := &in.Messages[i]; instructs(msg) {
			load.addItem("messages", i, sizeOf(msg))
		} else if msg = kept[msg.ID]; msg != nil {
			load.addItem("messages", i, sizeOf(msg))
		}
	}
	if load.sum <= most {
		return nil
	}
	return &Error{Code: CodeTooLarge, Field: load.field(), Message: fmt.Sprintf(
		"%s: has %d bytes; a request may bring %d in all, beside messages that its thread has already",
		load.field(), load.largest, most)}
}

// sizes adds up what a request brings, and remembers its largest part.
type sizes struct {
	sum, largest int
	name         string
	index        int // in the list; -1 if it is none
}

func (s *sizes) add(name string, size int) { s.addItem(name, -1, size) }

func (s *sizes) addItem(list string, i, size int) {
	if s.sum += size; size > s.largest {
		s.largest, s.name, s.index = size, list, i
	}
}

func (s *sizes) field() string {
	if s.index < 0 {
		return s.name
	}
	return fmt.Sprintf("%s[%d]", s.name, s.index)
}

// sizeOf returns how many bytes a message says.
func sizeOf(m *agui.Message) int {
	n := len(m.Content.Raw()) + len(m.Activity) + len(m.Metadata) + len(m.EncryptedValue) + len(m.Error)
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		n += len(c.ID) + len(c.Name) + len(c.Arguments) + len(c.EncryptedValue) + len(c.Metadata)
	}
	return n
}
