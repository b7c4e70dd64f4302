package store

import (
	"context"
	"encoding/json"
	"time"
)

// Allowance is a standing approval: until it expires, calls of a tool with these arguments run
// without asking.
type Allowance struct {
	ID, ThreadID string
	// the run in which it was given: it applies to branches that contain this run, unless it is
	// UserWide
	RunID string
	// UserWide extends it to all threads of its owner. It outlives the thread.
	UserWide   bool
	Agent      string
	Tool       string
	Definition string          // a hash of the tool's definition
	Args       json.RawMessage // as approved; JSON, kept byte for byte
	OpenArgs   []string        // names of arguments that may have any value
	ArgsHash   string          // of the other arguments
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

// Settings stores what users have decided: standing approvals, instructions of scopes, and the
// suggested actions that the server has run, with the approvals that these wait for. What has
// expired does not exist.
type Settings interface {
	// GiveAllowance stores an allowance given in a live run, and removes the expired ones of its
	// thread, or of its owner if it is user-wide. It returns ErrNotFound for an unknown run, and
	// ErrConflict for an ended run or an id that the thread (or the owner) already has. It uses
	// every field except ThreadID, which is the run's. A zero CreatedAt means now; ExpiresAt must
	// not be zero.
	GiveAllowance(ctx context.Context, o Owner, a Allowance) error

	// Allowances returns the allowances of a thread that have not expired, by CreatedAt and ID, or
	// ErrNotFound. User-wide ones are not among them.
	Allowances(ctx context.Context, o Owner, threadID string) ([]Allowance, error)

	// UserAllowances returns the user-wide allowances of an owner that have not expired, by
	// CreatedAt and ID.
	UserAllowances(ctx context.Context, o Owner) ([]Allowance, error)

	// FindAllowances returns the allowances that may apply on a thread, with the agent, tool and
	// definition of like: the thread's and the user-wide ones, without their Args.
	FindAllowances(ctx context.Context, o Owner, threadID string, like Allowance) ([]Allowance, error)

	// RevokeAllowance deletes an allowance of a thread, or a user-wide one if threadID is "". It
	// returns ErrNotFound if there is none.
	RevokeAllowance(ctx context.Context, o Owner, threadID, id string) error

	// PutInstructions stores the instructions of a scope for the owner's tenant; an empty text
	// deletes them.
	PutInstructions(ctx context.Context, o Owner, in Instructions) error

	// Instructions returns the instructions of a scope, or ErrNotFound.
	Instructions(ctx context.Context, o Owner, kind, id string) (Instructions, error)

	// OfferApproval stores an approval that the user may give. It returns ErrConflict if the owner
	// has one with this id.
	OfferApproval(ctx context.Context, o Owner, a ActionApproval) error

	// BeginAction stores that an action is about to run, and uses up the approval with this id, if
	// any. If the owner has an action with this key, it returns that one and changes nothing. It
	// returns ErrNotFound if there is no such approval for this fingerprint. A zero CreatedAt means
	// now; ExpiresAt must not be zero.
	BeginAction(ctx context.Context, o Owner, a Action, approvalID string) (earlier *Action, err error)

	// EndAction stores the answer of an action, or returns ErrNotFound.
	EndAction(ctx context.Context, o Owner, key string, result json.RawMessage) error
}
