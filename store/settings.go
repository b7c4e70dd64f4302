package store

import (
	"context"
	"encoding/json"
	"time"
)

// Allowance is a standing approval: on its thread, calls of a tool with exactly these arguments run
// without asking until it expires.
type Allowance struct {
	ID, ThreadID string
	// the run in which it was given: it applies to branches that contain this run
	RunID      string
	Agent      string
	Tool       string
	Definition string          // a hash of the tool's definition
	Args       json.RawMessage // JSON, kept byte for byte
	ArgsHash   string
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// Instructions are stored for a scope, such as stream:42. They belong to the tenant.
type Instructions struct {
	Kind, ID  string
	Text      string
	UpdatedAt time.Time
	UpdatedBy string // the subject; "" once it was forgotten
}

// Settings stores what users have decided for more than one run: standing approvals and
// instructions of scopes.
type Settings interface {
	// GiveAllowance stores an allowance given in a live run, and removes the expired ones of its
	// thread. It returns ErrNotFound for an unknown run, and ErrConflict for an ended run or an id
	// that the thread already has. It uses every field except ThreadID, which is the run's. A zero
	// CreatedAt means now; ExpiresAt must not be zero.
	GiveAllowance(ctx context.Context, o Owner, a Allowance) error

	// Allowances returns the allowances of a thread that have not expired, by CreatedAt and ID, or
	// ErrNotFound.
	Allowances(ctx context.Context, o Owner, threadID string) ([]Allowance, error)

	// FindAllowances returns the allowances among them with the agent, tool, definition and hash of
	// like, without their arguments.
	FindAllowances(ctx context.Context, o Owner, threadID string, like Allowance) ([]Allowance, error)

	// RevokeAllowance deletes an allowance, or returns ErrNotFound.
	RevokeAllowance(ctx context.Context, o Owner, threadID, id string) error

	// PutInstructions stores the instructions of a scope for the owner's tenant; an empty text
	// deletes them.
	PutInstructions(ctx context.Context, o Owner, in Instructions) error

	// Instructions returns the instructions of a scope, or ErrNotFound.
	Instructions(ctx context.Context, o Owner, kind, id string) (Instructions, error)
}
