package run

import (
	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/store"
)

// What a door hands on of stored threads, and of what agents are asked and answer. These are the
// types of the packages that make them: types of this package would only copy their fields, and a
// door needs to know no package but this one.
type (
	Owner         = store.Owner
	Thread        = store.Thread
	ThreadQuery   = store.ThreadQuery
	FoundThread   = store.FoundThread
	ThreadPage    = store.Page[FoundThread]
	ThreadChange  = store.ThreadChange
	StoredMessage = store.StoredMessage
	MessagePage   = store.Page[StoredMessage]
	UserMessage   = store.UserMessage
	Feedback      = store.Feedback
	Scoped        = store.Instructions // instructions that are stored for a scope
	StoredShare   = store.Share
	OpenedShare   = store.OwnedShare
	Holdings      = store.Holdings

	// Row is a run as it is stored. Run is one in memory.
	Row      = store.Run
	Summary  = store.RunSummary
	RowQuery = store.RunQuery
	Status   = store.RunStatus

	Query       = agent.Query
	Spending    = agent.Spending
	Pick        = agent.Pick
	Description = agent.Description
	Disclosure  = agent.Disclosure
)

// MaxPage is how many items a page has at most.
const MaxPage = store.MaxLimit

// Statuses of a Row.
const (
	StatusLive      = store.RunLive
	StatusFinished  = store.RunFinished
	StatusFailed    = store.RunFailed
	StatusCancelled = store.RunCancelled
)
