package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"

	"github.com/pageside/pageside/internal/jsonx"
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

// newEnvironment returns what conditions are compiled in.
func newEnvironment() (*cel.Env, error) {
	options := []cel.EnvOption{cel.CrossTypeNumericComparisons(true), cel.ParserExpressionSizeLimit(maxText)}
	for _, v := range Variables {
		options = append(options, cel.Variable(v.Name, v.Type))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("policy: prepare conditions: %w", err)
	}
	return env, nil
}

// compileCondition compiles a condition and checks its type and cost. The error lacks the rule.
func compileCondition(env *cel.Env, text string) (cel.Program, *RuleError) {
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, &RuleError{Column: first.Location.Column() + 1, Reason: first.Message}
	}
	if ast.OutputType() != cel.BoolType {
		return nil, &RuleError{Reason: fmt.Sprintf("must be true or false, not %s: compare it with something",
			ast.OutputType())}
	}
	cost, err := env.EstimateCost(ast, sizes{})
	if err != nil {
		return nil, &RuleError{Reason: "its cost cannot be estimated: " + err.Error()}
	}
	if cost.Max > maxCost {
		return nil, &RuleError{Reason: fmt.Sprintf("may cost %d, at most %d is allowed: avoid loops inside loops",
			cost.Max, maxCost)}
	}
	program, err := env.Program(ast, cel.CostLimit(maxCost), cel.InterruptCheckFrequency(100),
		cel.EvalOptions(cel.OptOptimize, cel.OptPartialEval))
	if err != nil {
		return nil, &RuleError{Reason: err.Error()}
	}
	return program, nil
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

// verdict is what a condition says.
type verdict int

const (
	no verdict = iota
	yes
	maybe // it depends on arguments that are not known yet
)

// facts are the values of the variables for one question. They are read once, by the first
// condition.
type facts struct {
	q    *Question
	open bool // the arguments are not known
	vars cel.Activation
}

// evaluate returns what a condition says about the question: yes if there is none.
func (f *facts) evaluate(ctx context.Context, condition cel.Program) (verdict, error) {
	if condition == nil {
		return yes, nil
	}
	if f.vars == nil {
		var err error
		if f.vars, err = f.variables(); err != nil {
			return no, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	out, _, err := condition.ContextEval(ctx, f.vars)
	switch {
	case ctx.Err() != nil:
		return no, fmt.Errorf("evaluating a condition: %w", context.Cause(ctx))
	case err != nil:
		return no, err
	case types.IsUnknown(out):
		return maybe, nil
	case out == types.True:
		return yes, nil
	case out == types.False:
		return no, nil
	}
	return no, fmt.Errorf("the condition is %s, neither true nor false", out.Type())
}

// unknownArgs marks the arguments of a tool that is only offered.
var unknownArgs = cel.AttributePattern("args")

// variables returns the values for a condition.
func (f *facts) variables() (cel.Activation, error) {
	q := f.q
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
	if f.open || q.Verb == Offer && q.Args == nil {
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
