// Package condition compiles and evaluates the conditions of rules: expressions of CEL, typed,
// without side effects, with a bound on what one may cost.
//
//	rules, err := policy.NewRules(condition.Compile, policy.Rule{
//		On:   map[policy.Kind][]string{policy.Tool: {"pay"}},
//		When: "args.amount <= 100", Then: policy.Allow,
//	})
//
// It is apart from package policy because the library of CEL is large and takes milliseconds to
// start: programs whose rules have no conditions do without it.
package condition

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/policy"
)

// Limits of a condition. An evaluation that exceeds one is a refusal.
const (
	// maxCost bounds an evaluation in CEL's units, of which a comparison takes a few. Reaching it
	// takes some ten milliseconds.
	maxCost = 10_000
	maxTime = time.Second
	maxText = 2_000 // bytes of a condition
	// longest is the size that the estimate assumes of each text, list and object in a question. It
	// decides which conditions are accepted: maxCost holds whatever arrives.
	longest = 100
)

// Variables are the names that a condition may use, with their types.
var Variables = []Variable{
	{"args", cel.DynType, "the call's arguments, an object"},
	{"scope", cel.MapType(cel.StringType, cel.StringType), "what the place is about, ids by kind"},
	{"page", cel.StringType, "where the user is: page, page/tab or page/tab/subtab"},
	{"name", cel.StringType, "of the tool, action, page, agent or kind of scope"},
	{"verb", cel.StringType, "offer, use, read or write"},
	{"effect", cel.StringType, "of the tool"},
	{"frontend", cel.BoolType, "whether the tool runs in the page"},
	{"tainted", cel.BoolType, "whether the branch has read what others may have written"},
	{"principal.subject", cel.StringType, "who asks"},
	{"principal.tenant", cel.StringType, "of who asks"},
	{"principal.roles", cel.ListType(cel.StringType), "of who asks"},
	{"principal.method", cel.StringType, "how who asks has signed in"},
}

// Variable is a name that a condition may use.
type Variable struct {
	Name  string
	Type  *cel.Type
	About string
}

// environment compiles conditions.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{cel.CrossTypeNumericComparisons(true), cel.ParserExpressionSizeLimit(maxText)}
	for _, v := range Variables {
		options = append(options, cel.Variable(v.Name, v.Type))
	}
	return cel.NewEnv(options...)
})

// condition is a compiled condition. It implements policy.Condition.
type condition struct{ program cel.Program }

// Compile compiles a condition and checks its type and its cost: see policy.Compile. Safe for
// concurrent use.
func Compile(text string) (policy.Condition, *policy.RuleError) {
	env, err := environment()
	if err != nil {
		return nil, &policy.RuleError{Reason: "conditions cannot be prepared: " + err.Error()}
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, &policy.RuleError{Column: first.Location.Column() + 1, Reason: first.Message}
	}
	if ast.OutputType() != cel.BoolType {
		return nil, &policy.RuleError{Reason: fmt.Sprintf("must be true or false, not %s: compare it with something",
			ast.OutputType())}
	}
	cost, err := env.EstimateCost(ast, sizes{})
	if err != nil {
		return nil, &policy.RuleError{Reason: "its cost cannot be estimated: " + err.Error()}
	}
	if cost.Max > maxCost {
		return nil, &policy.RuleError{Reason: fmt.Sprintf("may cost %d, at most %d is allowed: avoid loops inside loops",
			cost.Max, maxCost)}
	}
	program, err := env.Program(ast, cel.CostLimit(maxCost), cel.InterruptCheckFrequency(100),
		cel.EvalOptions(cel.OptOptimize, cel.OptPartialEval))
	if err != nil {
		return nil, &policy.RuleError{Reason: err.Error()}
	}
	return &condition{program}, nil
}

// sizes implements checker.CostEstimator.
type sizes struct{}

// EstimateSize implements checker.CostEstimator.
func (sizes) EstimateSize(checker.AstNode) *checker.SizeEstimate {
	return &checker.SizeEstimate{Min: 0, Max: longest}
}

// EstimateCallCost implements checker.CostEstimator.
func (sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// Evaluate implements policy.Condition. The values of the variables are read once for a question,
// by its first condition.
func (c *condition) Evaluate(ctx context.Context, f *policy.Facts) (policy.Verdict, error) {
	if f.Read == nil {
		vars, err := variables(f)
		if err != nil {
			return policy.No, err
		}
		f.Read = vars
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	out, _, err := c.program.ContextEval(ctx, f.Read)
	switch {
	case ctx.Err() != nil:
		return policy.No, fmt.Errorf("evaluating a condition: %w", context.Cause(ctx))
	case err != nil:
		return policy.No, err
	case types.IsUnknown(out):
		return policy.Maybe, nil
	case out == types.True:
		return policy.Yes, nil
	case out == types.False:
		return policy.No, nil
	}
	return policy.No, fmt.Errorf("the condition is %s, neither true nor false", out.Type())
}

// unknownArgs marks the arguments of a tool that is only offered.
var unknownArgs = cel.AttributePattern("args")

// variables returns the values for a condition.
func variables(f *policy.Facts) (cel.Activation, error) {
	q := f.Question
	vars := map[string]any{
		"scope": q.Scope, "page": q.Page, "name": q.Name, "verb": string(q.Verb), "effect": q.Effect,
		"frontend": q.Frontend, "tainted": q.Tainted,
		"principal.subject": q.Principal.Subject, "principal.tenant": q.Principal.Tenant,
		"principal.method": q.Principal.Method,
	}
	vars["principal.roles"] = append([]string{}, q.Principal.Roles...)
	if q.Scope == nil {
		vars["scope"] = map[string]string{}
	}
	if f.Open {
		return cel.PartialVars(vars, unknownArgs)
	}
	args, err := decodeArgs(q.Args)
	if err != nil {
		return nil, err
	}
	vars["args"] = args
	return cel.PartialVars(vars)
}

// decodeArgs decodes arguments without losing digits. Duplicate names are refused: the tool might
// read the other value.
func decodeArgs(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	if !jsontext.Value(raw).IsValid() {
		return nil, fmt.Errorf("the arguments are not valid JSON")
	}
	return jsonx.Value(raw, number)
}

// number makes an int64, uint64 or float64 of a number. CEL compares them by value.
func number(n json.Number) (any, error) {
	if i, err := n.Int64(); err == nil {
		return i, nil
	}
	if u, err := strconv.ParseUint(n.String(), 10, 64); err == nil {
		return u, nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil, fmt.Errorf("the number %.40s is too large to compare", n)
	}
	return f, nil
}
