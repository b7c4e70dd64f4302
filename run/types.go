package run

import (
	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/agent/usage"
	"github.com/pageside/pageside/run/meter"
	"github.com/pageside/pageside/store"
)

// What a door hands on of stored threads, and of what agents are asked and answer. These are the
// types of the packages that make them: types of this package would only copy their fields, and a
// door needs to know no package but this one and run/refusal.
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

	// Row is a run as it is stored. Run is one in memory.
	Row      = store.Run
	Summary  = store.RunSummary
	RowQuery = store.RunQuery
	Status   = store.RunStatus
	UsageSum = store.UsageSum

	Query    = agent.Query
	Limits   = meter.Limits
	Pick     = agent.Pick
	Spending = usage.Spending
)

// Whose a quota is and what it counts, and what states a Row is in.
const (
	ScopeUser   = store.ScopeUser
	ScopeTenant = store.ScopeTenant
	UnitTokens  = store.UnitTokens
	UnitDollars = store.UnitDollars

	StatusLive      = store.RunLive
	StatusFinished  = store.RunFinished
	StatusFailed    = store.RunFailed
	StatusCancelled = store.RunCancelled
)
