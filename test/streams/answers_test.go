package streams

// answer is what a model says, in the pieces in which it says it.
type answer struct {
	name      string
	thought   []string
	signature string // of the thought
	text      []string
	calls     []call
	finish    finish
	usage     usage
}

type call struct {
	id, name string
	args     []string // none is a tool without arguments
}

type finish int

const (
	stops   finish = iota // or has calls that wait for their results
	isCut                 // at the limit of its tokens
	refuses               // or is filtered
	breaks                // the provider fails in the middle
)

// usage is in tokens: the input with what was cached of it, the output with what was thought.
type usage struct{ in, cached, out, thought int }

// answers are what adapters have to get right. The texts have letters of two, three and four bytes,
// and what must be escaped.
var answers = []answer{
	{name: "text", text: []string{"Grüße", " aus ", "東京: ", "👩‍👩‍👧", " \"zitiert\" \\ \t", "\n\nund Schluss."}, usage: usage{in: 31, out: 17}},
	{name: "cached", text: []string{"Most ", "404s are ", "of /favicon.ico."}, usage: usage{in: 2048, cached: 1920, out: 9}},
	{name: "thought", thought: []string{"The user wants ", "“errors”, ", "so status ≥ 400."}, signature: "c2lnbmVkIGJ5IG5vYm9keQ==", text: []string{"There are ", "213."}, usage: usage{in: 40, out: 64, thought: 52}},
	{name: "call", calls: []call{{"call_a1", "run_query", []string{`{"query":`, `"source=access_log | where path = \"/grü`, `ße\" | head 5","limit":5,`, `"deep":{"list":[1,2.5,null,true]}}`}}}, usage: usage{in: 88, out: 30}},
	{name: "calls", text: []string{"I look ", "at both."}, calls: []call{
		{"call_b1", "top_values", []string{`{"field":"path"`, `,"n":3}`}}, {"call_b2", "top_values", []string{`{"field":"client`, `ip","n":10}`}}, {"call_b3", "describe_fields", nil},
	}, usage: usage{in: 120, cached: 64, out: 55}},
	{name: "thought-call", thought: []string{"A chart ", "it is."}, signature: "ZWluZSBhbmRlcmU=", calls: []call{{"call_c1", "make_chart", []string{`{"title":"Über`, `sicht 📈"}`}}}, usage: usage{in: 77, out: 41, thought: 20}},
	{name: "parallel-name", calls: []call{{"call_parallel", "parallel", []string{`{"tool_uses":[{"recipient_name":"functions.weather","parameters":`, `{"location":"San Francisco"}},`,
		// several calls under one name, as OpenAI's models write them at times
		`{"recipient_name":"functions.cityAttractions","parameters":{"city":"Rome"}}]}`}}}, usage: usage{in: 61, out: 44}},
	{name: "length", text: []string{"One, two, ", "three, fo"}, finish: isCut, usage: usage{in: 12, out: 8}},
	{name: "refusal", text: []string{"I cannot "}, finish: refuses, usage: usage{in: 19, out: 3}},
	{name: "broken", text: []string{"It is in ", "the middle of"}, finish: breaks, usage: usage{in: 10, out: 4}},
}
