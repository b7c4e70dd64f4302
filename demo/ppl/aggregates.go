package ppl

import (
	"database/sql/driver"
	"fmt"
	"math"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// maxListed is how many values list and values show.
const maxListed = 100

// collector is an aggregate over all values of a group.
type collector struct {
	values []any
	arg    any
	finish func(values []any, arg any) any
	limit  int // 0 is none
}

func (c *collector) Step(_ *sqlite.FunctionContext, row []driver.Value) error {
	if len(row) > 1 {
		c.arg = row[1]
	}
	if row[0] != nil && (c.limit == 0 || len(c.values) < c.limit) {
		c.values = append(c.values, row[0])
	}
	return nil
}

func (c *collector) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return fmt.Errorf("not a window function")
}
func (c *collector) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	return c.finish(c.values, c.arg), nil
}
func (c *collector) Final(*sqlite.FunctionContext) {}

func init() {
	register := func(name string, args int32, limit int, finish func([]any, any) any) {
		sqlite.MustRegisterFunction("ppl_"+name, &sqlite.FunctionImpl{NArgs: args, Deterministic: true,
			MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) {
				return &collector{finish: finish, limit: limit}, nil
			}})
	}
	register("percentile", 2, 0, func(values []any, p any) any { return percentile(values, number(p)) })
	for name := range spreads {
		register(name, 1, 0, func(values []any, _ any) any { return spread(name, values) })
	}
	register("first", 1, 1, func(values []any, _ any) any {
		if len(values) == 0 {
			return nil
		}
		return values[0]
	})
	register("list", 1, maxListed, func(values []any, _ any) any { return listText(values) })
}

// percentile interpolates between the two values next to the place.
func percentile(values []any, p float64) any {
	if len(values) == 0 {
		return nil
	}
	sorted := floats(values)
	place := p / 100 * float64(len(sorted)-1)
	low := int(math.Floor(place))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (sorted[high]-sorted[low])*(place-float64(low))
}

func floats(values []any) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = number(v)
	}
	slices.Sort(list) // sums of floats depend on the order
	return list
}

// spreads says of each measure what it divides by one less for, and whether it is the root.
var spreads = map[string]struct{ sample, root bool }{
	"var_pop": {false, false}, "var_samp": {true, false}, "stddev_pop": {false, true}, "stddev_samp": {true, true},
}

// spread is a variance or a standard deviation; of a sample it needs two values.
func spread(name string, values []any) any {
	kind, n := spreads[name], float64(len(values))
	if kind.sample {
		n--
	}
	if n < 1 {
		return nil
	}
	list := floats(values)
	mean, sum := 0.0, 0.0
	for _, v := range list {
		mean += v
	}
	mean /= float64(len(list))
	for _, v := range list {
		sum += (v - mean) * (v - mean)
	}
	if kind.root {
		return finite(math.Sqrt(sum / n))
	}
	return finite(sum / n)
}

// listText is the values as text, in their order.
func listText(values []any) any {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = fmt.Sprint(v)
	}
	return clip(strings.Join(parts, ", "), maxText)
}
