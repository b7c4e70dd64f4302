package store

import (
	"context"
	"time"
)

// Holdings implements Store.
func (m *Memory) Holdings(ctx context.Context, o Owner) (h Holdings, err error) {
	err = m.read(ctx, "holdings of", o.Subject, o, func(own *ownerData) error {
		h.Threads, h.Runs = len(own.threads), len(own.runs)
		for _, r := range own.runs {
			h.ToolCalls += len(r.calls)
		}
		for _, t := range own.threads {
			h.Allowances += len(t.allowances)
			for _, msg := range t.messages {
				if msg.feedback != nil {
					h.Feedback++
				}
			}
		}
		return nil
	})
	return h, err
}

// Forget implements Store.
func (m *Memory) Forget(ctx context.Context, o Owner) error {
	return m.write(ctx, "forget", o.Subject, o, nil, func(*ownerData, []Body, time.Time) error {
		delete(m.owners, o)
		for key, in := range m.instructions {
			if key.tenant == o.Tenant && in.UpdatedBy == o.Subject {
				in.UpdatedBy = ""
				m.instructions[key] = in
			}
		}
		return nil
	})
}
