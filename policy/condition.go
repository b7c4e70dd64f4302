package policy

import "context"

// Compile compiles a condition. Its error lacks the rule. Safe for concurrent use.
type Compile func(text string) (Condition, *RuleError)

// Condition says whether a rule that matches a question counts. Safe for concurrent use.
type Condition interface {
	Evaluate(ctx context.Context, f *Facts) (Verdict, error)
}

// Verdict is what a condition says about a question.
type Verdict int

// Verdicts.
const (
	No Verdict = iota
	Yes
	Maybe // it depends on arguments that are not known yet
)

// Facts are what the conditions of rules know of one question.
type Facts struct {
	Question *Question
	Open     bool // the arguments are not known yet
	// Read is what the first condition has made of the question, for the others.
	Read any
}
