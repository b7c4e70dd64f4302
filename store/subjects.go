package store

import "context"

// Holdings counts what the store holds of one owner, deleted threads included.
type Holdings struct {
	Threads    int `json:"threads"`
	Runs       int `json:"runs"`
	ToolCalls  int `json:"toolCalls"`
	Allowances int `json:"allowances"`
	Feedback   int `json:"feedback"`
	Other      int `json:"other"` // rows of other tables, such as usage
}

// Subjects deletes everything about a person.
type Subjects interface {
	// Holdings counts what Forget would delete.
	Holdings(ctx context.Context, o Owner) (Holdings, error)

	// Forget deletes everything of an owner for good, deleted threads and live runs included, and
	// removes the owner's name from the instructions it has written, which are the tenant's. What
	// still writes to a live run gets ErrNotFound. After an error part of it may be gone: Forget
	// can be called again.
	Forget(ctx context.Context, o Owner) error
}
