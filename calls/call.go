package calls

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/tool"
)

// State is how far a call is. It only moves forward, but for a call whose tool asks the user while
// it runs: that one is held again.
type State string

// States of a call.
const (
	Written  State = "written"  // somebody wants it made
	Held     State = "held"     // a person has to answer first
	Approved State = "approved" // it may run
	Started  State = "started"  // its handler has begun
	Done     State = "done"     // it has a result, whether it ran or not
)

// Judgement is what was decided about a call, and on what grounds. The zero value is of a call that
// nobody has judged.
type Judgement struct {
	Tainted    bool          // see Case
	Permission policy.Answer // what the policies say of the call with its arguments
	Approved   bool          // a person has approved it
	Allowance  string        // id of the allowance under which it runs without asking; "" is none
}

// Agreed returns who has agreed to the call.
func (j *Judgement) Agreed() Agreement {
	switch {
	case j.Approved:
		return ByPerson
	case j.Allowance != "":
		return ByAllowance
	}
	return ""
}

// Case returns what is known of a call of a tool. ignoreTaint is the operator's: see Case.
func (j *Judgement) Case(t *tool.Tool, ignoreTaint bool) Case {
	return Case{
		Effect: t.Effect, Approval: t.Policy.Approval, Tainted: j.Tainted, IgnoreTaint: ignoreTaint,
		Permission: j.Permission, Agreed: j.Agreed(),
	}
}

// Key hashes parts so that no two lists of parts look alike, and none is revealed.
func Key(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d %s ", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// KeyLength is how much of a Key identifies a call to its tool.
const KeyLength = 32
