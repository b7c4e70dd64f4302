package ppl

import (
	"database/sql/driver"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"modernc.org/sqlite"
)

// maxText is the longest string that a function makes, in bytes; what would be longer is cut.
// Without a bound a few concats of concats fill the memory.
const maxText = 32 << 10

// function is a function of values. It is null where one of its arguments is null.
type function struct {
	// params has a letter for each argument: s string, n number, i whole number, t time. The last
	// one may repeat with "…".
	params   string
	optional int
	result   Type // noneType is the type of the first argument
	call     func(args []any) any
}

func (f function) variadic() bool { return strings.HasSuffix(f.params, "…") }

// functions are what eval, where and stats can call, beside those in special.
var functions = map[string]function{
	"upper":     {"s", 0, String, func(a []any) any { return strings.ToUpper(text(a[0])) }},
	"lower":     {"s", 0, String, func(a []any) any { return strings.ToLower(text(a[0])) }},
	"length":    {"s", 0, Int, func(a []any) any { return int64(utf8.RuneCountInString(text(a[0]))) }},
	"trim":      {"s", 0, String, func(a []any) any { return strings.Trim(text(a[0]), " ") }},
	"ltrim":     {"s", 0, String, func(a []any) any { return strings.TrimLeft(text(a[0]), " ") }},
	"rtrim":     {"s", 0, String, func(a []any) any { return strings.TrimRight(text(a[0]), " ") }},
	"reverse":   {"s", 0, String, func(a []any) any { r := []rune(text(a[0])); slices.Reverse(r); return string(r) }},
	"substring": {"sii", 1, String, substring},
	"left":      {"si", 0, String, func(a []any) any { return substring([]any{a[0], int64(1), a[1]}) }},
	"right": {"si", 0, String, func(a []any) any {
		r := []rune(text(a[0]))
		return string(r[max(0, len(r)-int(min(max(whole(a[1]), 0), int64(len(r))))):])
	}},
	"concat":    {"s…", 0, String, func(a []any) any { return concat("", a) }},
	"concat_ws": {"ss…", 0, String, func(a []any) any { return concat(text(a[0]), a[1:]) }},
	"replace":   {"sss", 0, String, func(a []any) any { return replace(text(a[0]), text(a[1]), text(a[2])) }},
	"locate":    {"ss", 0, Int, func(a []any) any { return locate(text(a[0]), text(a[1])) }},

	"abs":   {"n", 0, noneType, func(a []any) any { return abs(a[0]) }},
	"ceil":  {"n", 0, Int, func(a []any) any { return toInt(math.Ceil, a[0]) }},
	"floor": {"n", 0, Int, func(a []any) any { return toInt(math.Floor, a[0]) }},
	"round": {"ni", 1, noneType, round},
	"sqrt":  {"n", 0, Decimal, func(a []any) any { return finite(math.Sqrt(number(a[0]))) }},
	"pow":   {"nn", 0, Decimal, func(a []any) any { return finite(math.Pow(number(a[0]), number(a[1]))) }},
	"mod":   {"nn", 0, Decimal, func(a []any) any { return finite(math.Mod(number(a[0]), number(a[1]))) }},
	"exp":   {"n", 0, Decimal, func(a []any) any { return finite(math.Exp(number(a[0]))) }},
	"ln":    {"n", 0, Decimal, func(a []any) any { return finite(math.Log(number(a[0]))) }},
	"log10": {"n", 0, Decimal, func(a []any) any { return finite(math.Log10(number(a[0]))) }},
	"sign": {"n", 0, Int, func(a []any) any {
		n := number(a[0])
		return int64(map[bool]int{true: 1}[n > 0] - map[bool]int{true: 1}[n < 0])
	}},

	"year":    {"t", 0, Int, part(func(t time.Time) int { return t.Year() })},
	"quarter": {"t", 0, Int, part(func(t time.Time) int { return (int(t.Month()) + 2) / 3 })},
	"month":   {"t", 0, Int, part(func(t time.Time) int { return int(t.Month()) })},
	"day":     {"t", 0, Int, part(func(t time.Time) int { return t.Day() })},
	"hour":    {"t", 0, Int, part(func(t time.Time) int { return t.Hour() })},
	"minute":  {"t", 0, Int, part(func(t time.Time) int { return t.Minute() })},
	"second":  {"t", 0, Int, part(func(t time.Time) int { return t.Second() })},
	// 1 is Sunday
	"dayofweek":      {"t", 0, Int, part(func(t time.Time) int { return int(t.Weekday()) + 1 })},
	"dayofyear":      {"t", 0, Int, part(func(t time.Time) int { return t.YearDay() })},
	"dayname":        {"t", 0, String, func(a []any) any { return at(a[0]).Weekday().String() }},
	"monthname":      {"t", 0, String, func(a []any) any { return at(a[0]).Month().String() }},
	"date":           {"t", 0, Time, func(a []any) any { return at(a[0]).Truncate(24 * time.Hour).UnixMilli() }},
	"date_format":    {"ts", 0, String, func(a []any) any { return dateFormat(at(a[0]), text(a[1])) }},
	"unix_timestamp": {"t", 0, Decimal, func(a []any) any { return float64(whole(a[0])) / 1000 }},
	"from_unixtime":  {"n", 0, Time, fromUnix},
}

// aliases are other names of functions.
var aliases = map[string]string{
	"substr": "substring", "ceiling": "ceil", "power": "pow", "position": "locate", "char_length": "length", "dayofmonth": "day", "day_of_month": "day",
	"hour_of_day": "hour", "minute_of_hour": "minute", "second_of_minute": "second", "day_of_week": "dayofweek", "day_of_year": "dayofyear", "month_of_year": "month",
}

// special are functions with a grammar or types of their own.
var special = []string{"if", "case", "coalesce", "ifnull", "nullif", "cast", "isnull", "isnotnull", "ispresent", "isempty", "like", "regexp_match", "timestamp"}

// FunctionNames returns the names of all functions, sorted.
func FunctionNames() []string {
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(functions)), slices.Collect(maps.Keys(aliases)), special)))
}

// casts are what cast(… as TYPE) makes, by the kinds of both; "" of to is what cannot be.
var casts = map[string]func(any) any{
	"n>string": func(v any) any { return fmt.Sprint(v) },
	"t>string": func(v any) any { return at(v).Format("2006-01-02 15:04:05") },
	"s>int": func(v any) any {
		n, ok := parseNumber(strings.TrimSpace(text(v)))
		if !ok {
			return nil
		}
		if n.Kind == Float {
			return toInt(math.Trunc, n.Float)
		}
		return n.Int
	},
	"n>int": func(v any) any { return toInt(math.Trunc, v) },
	"s>double": func(v any) any {
		n, ok := parseNumber(strings.TrimSpace(text(v)))
		if !ok {
			return nil
		}
		return map[bool]float64{true: n.Float, false: float64(n.Int)}[n.Kind == Float]
	},
	"n>double": func(v any) any { return number(v) },
	"s>timestamp": func(v any) any {
		t, ok := ParseTime(text(v))
		if !ok {
			return nil
		}
		return t.UnixMilli()
	},
}

var castTypes = map[string]Type{"string": String, "int": Int, "double": Decimal, "timestamp": Time}

// castNames are the other names of the types of cast.
var castNames = map[string]string{"integer": "int", "long": "int", "bigint": "int", "float": "double"}

func init() {
	register := func(name string, args int32, call func([]any) any) {
		sqlite.MustRegisterDeterministicScalarFunction("ppl_"+name, args, func(_ *sqlite.FunctionContext, values []driver.Value) (driver.Value, error) {
			in := make([]any, len(values))
			for i, v := range values {
				if v == nil {
					return nil, nil
				}
				in[i] = v
			}
			return call(in), nil
		})
	}
	for name, f := range functions {
		register(name, -1, f.call)
	}
	for key, cast := range casts {
		register("cast_"+strings.Replace(key, ">", "_", 1), 1, func(a []any) any { return cast(a[0]) })
	}
	register("match", 2, func(a []any) any {
		return map[bool]int64{true: 1}[compiled(text(a[1])).MatchString(text(a[0]))]
	})
	sqlite.MustRegisterDeterministicScalarFunction("ppl_group", 3, func(_ *sqlite.FunctionContext, a []driver.Value) (driver.Value, error) {
		if a[0] == nil {
			return "", nil
		}
		return capture(text(a[0]), text(a[1]), int(whole(a[2]))), nil
	})
}

func text(v any) string { s, _ := v.(string); return s }

func whole(v any) int64 {
	if f, ok := v.(float64); ok {
		return int64(max(min(f, 1<<62), -1<<62))
	}
	n, _ := v.(int64)
	return n
}

func number(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	f, _ := v.(float64)
	return f
}

func at(v any) time.Time { return time.UnixMilli(whole(v)).UTC() }

func part(of func(time.Time) int) func([]any) any {
	return func(a []any) any { return int64(of(at(a[0]))) }
}

func finite(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return f
}

func toInt(rounding func(float64) float64, v any) any {
	if n, ok := v.(int64); ok {
		return n
	}
	f := rounding(number(v))
	if !(math.Abs(f) < 1<<63) {
		return nil
	}
	return int64(f)
}

func abs(v any) any {
	if n, ok := v.(int64); ok && n != math.MinInt64 {
		return max(n, -n)
	}
	return math.Abs(number(v))
}

// round rounds half away from zero. A negative number of places rounds to tens, hundreds and so on.
func round(a []any) any {
	places := int64(0)
	if len(a) > 1 {
		places = max(min(whole(a[1]), 15), -15)
	}
	if n, ok := a[0].(int64); ok && places >= 0 {
		return n
	}
	scale := math.Pow10(int(max(places, -places)))
	rounded := math.Round(number(a[0])*scale) / scale
	if places < 0 {
		rounded = math.Round(number(a[0])/scale) * scale
	}
	if _, ok := a[0].(int64); ok {
		return toInt(math.Trunc, rounded)
	}
	return finite(rounded)
}

func fromUnix(a []any) any {
	seconds := number(a[0])
	if !(seconds >= -62135596800 && seconds < 253402300800) { // the years 1 to 9999
		return nil
	}
	return int64(math.Floor(seconds * 1000))
}

// substring counts characters from 1, from the end where start is negative.
func substring(a []any) any {
	r := []rune(text(a[0]))
	start, count := whole(a[1]), int64(len(r))
	if len(a) > 2 {
		count = max(whole(a[2]), 0)
	}
	switch {
	case start < 0:
		start = int64(len(r)) + start
	case start == 0:
		return ""
	default:
		start--
	}
	if start < 0 || start >= int64(len(r)) {
		return ""
	}
	return string(r[start : start+min(count, int64(len(r))-start)])
}

func concat(separator string, parts []any) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(text(p))
		if b.Len() > maxText {
			break
		}
	}
	return clip(b.String(), maxText)
}

func replace(s, from, to string) string {
	if from == "" {
		return s
	}
	if most := strings.Count(s, from); len(s)+most*max(0, len(to)-len(from)) > maxText {
		s = strings.Replace(s, from, to, maxText/max(1, len(to)))
		return clip(s, maxText)
	}
	return strings.ReplaceAll(s, from, to)
}

func locate(part, s string) int64 {
	i := strings.Index(s, part)
	if i < 0 {
		return 0
	}
	return int64(utf8.RuneCountInString(s[:i])) + 1
}

// dateFormat writes a time in the format of MySQL's DATE_FORMAT, of which it has the letters below.
func dateFormat(t time.Time, format string) string {
	layouts := map[byte]string{
		'Y': "2006", 'y': "06", 'm': "01", 'c': "1", 'd': "02", 'e': "2", 'H': "15", 'h': "03", 'I': "03", 'i': "04", 's': "05", 'S': "05", 'p': "PM",
		'M': "January", 'b': "Jan", 'W': "Monday", 'a': "Mon", 'T': "15:04:05", 'j': "002", 'f': "000000",
	}
	var b strings.Builder
	for i := 0; i < len(format) && b.Len() < maxText; i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch layout, ok := layouts[format[i]]; {
		case format[i] == 'f':
			fmt.Fprintf(&b, "%06d", t.Nanosecond()/1000)
		case ok:
			b.WriteString(t.Format(layout))
		default:
			b.WriteByte(format[i])
		}
	}
	return b.String()
}

// compiledPatterns keeps the few patterns of the queries that run; a full one is begun anew.
var compiledPatterns patternCache

// compiled is for patterns that checkPattern has let through.
func compiled(pattern string) *regexp.Regexp { return compiledPatterns.get(pattern) }

// capture is the text of a group where the whole of s matches, else "".
func capture(s, pattern string, group int) string {
	m := compiled(wholePattern(pattern)).FindStringSubmatch(s)
	if group >= len(m) {
		return ""
	}
	return m[group]
}

func wholePattern(pattern string) string { return `\A(?:` + pattern + `)\z` }

// maxPattern is the longest regular expression, in bytes. Their run time is linear in text and
// pattern.
const maxPattern = 500

// checkPattern compiles a regular expression of a query.
func checkPattern(l Literal) (*regexp.Regexp, error) {
	if len(l.Text) > maxPattern {
		return nil, errorAt(l.Pos, nil, "the regular expression is longer than %d bytes", maxPattern)
	}
	re, err := regexp.Compile(l.Text)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return nil, errorAt(l.Pos, nil, "the regular expression cannot be read: %s (the syntax is RE2)", reason)
	}
	if _, err := regexp.Compile(wholePattern(l.Text)); err != nil {
		return nil, errorAt(l.Pos, nil, "the regular expression is too large")
	}
	return re, nil
}

// percentName reads p95 and perc95: short names of percentile.
func percentName(name string) (float64, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(name, "p"), "erc")
	n, err := strconv.Atoi(digits)
	return float64(n), err == nil && strings.HasPrefix(name, "p") && digits != name && n >= 0 && n <= 100 && len(digits) <= 3
}
