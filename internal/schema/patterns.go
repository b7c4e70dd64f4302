package schema

import (
	"regexp"
	"regexp/syntax"
)

// maxSteps limits what the patterns of a schema expand to, all together: a{1000} is a thousand
// steps. Unlimited, a page's tool of 16 KB takes 100 MB, and minutes for a long text.
const maxSteps = 5000

// matcher compiles a regular expression. It returns nil for one that Go cannot express, or that
// would be too much: a browser that declared it checks it itself.
func (c *compiler) matcher(text string) func(a *attempt, s string) bool {
	if c.steps+len(text) > maxSteps {
		return nil
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil
	}
	steps := stepsOf(parsed)
	if c.steps+steps > maxSteps {
		return nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	c.steps += steps
	return func(a *attempt, s string) bool {
		a.spend(1 + len(s)*steps/64) // which is what the worst of expressions need
		return *a.work >= 0 && re.MatchString(s)
	}
}

// stepsOf returns about how many steps a program for an expression has.
func stepsOf(re *syntax.Regexp) int {
	steps := 1
	if re.Op == syntax.OpLiteral {
		steps += len(re.Rune)
	}
	for _, sub := range re.Sub {
		steps += stepsOf(sub)
	}
	if re.Op == syntax.OpRepeat {
		steps *= max(re.Min, re.Max, 1)
	}
	return steps
}
