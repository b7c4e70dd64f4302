package payload_test

import (
	"strings"
	"testing"

	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/test/must"
)

// cardTypes are those of an application, with names of one word and of two.
func cardTypes(t testing.TB) []*payload.Type {
	t.Helper()
	r := must.Get(payload.NewRegistry(
		&payload.Type{Name: "schema_proposal", Source: payload.FromLLM},
		&payload.Type{Name: "plan", Source: payload.FromLLM},
		&payload.Type{Name: "boxed", Source: payload.FromLLM, Marker: "@@BOX"},
	))(t)
	var list []*payload.Type
	for p := range r.All() {
		list = append(list, p)
	}
	return append(list, payload.SuggestedValues, payload.SuggestedActions)
}

// spellings are what models make of SCHEMA_PROPOSAL: {…}, and what the user gets.
var spellings = []struct{ name, in, want string }{
	// as asked for
	{"as told", "Here:\nSCHEMA_PROPOSAL: {\"a\":1}\nGood?", "Here:\n⟦schema_proposal {\"a\":1}⟧Good?"},
	{"nothing between", "SCHEMA_PROPOSAL:{\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"JSON on the next line", "SCHEMA_PROPOSAL:\n{\n  \"a\": 1\n}\nGood?", "⟦schema_proposal {\n  \"a\": 1\n}⟧Good?"},
	{"JSON after a blank line", "SCHEMA_PROPOSAL:\n\n{\"a\":1}\n\nGood?", "⟦schema_proposal {\"a\":1}⟧\nGood?"},
	{"Windows lines", "Here:\r\nSCHEMA_PROPOSAL: {\"a\":1}\r\nGood?", "Here:\r\n⟦schema_proposal {\"a\":1}⟧Good?"},
	// bold and italic type
	{"bold, colon inside", "**SCHEMA_PROPOSAL:** {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"bold, colon outside", "**SCHEMA_PROPOSAL**: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"italic", "*SCHEMA_PROPOSAL*: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"bold and italic", "***SCHEMA_PROPOSAL:*** {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"all of it bold", "**SCHEMA_PROPOSAL: {\"a\":1}**\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"bold, JSON below", "**SCHEMA_PROPOSAL**:\n{\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"bold in an item", "- **SCHEMA_PROPOSAL**: {\"a\":1}\n- more", "⟦schema_proposal {\"a\":1}⟧- more"},
	// headings, numbers, bullets, quotes
	{"heading", "### SCHEMA_PROPOSAL: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"heading, JSON below", "## SCHEMA_PROPOSAL:\n\n{\"a\":1}\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"heading, fence below", "#### SCHEMA_PROPOSAL:\n```json\n{\"a\":1}\n```\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"bold heading", "### **SCHEMA_PROPOSAL:**\n{\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"numbered", "1. SCHEMA_PROPOSAL: {\"a\":1}\n2. more", "⟦schema_proposal {\"a\":1}⟧2. more"},
	{"numbered, bold", "12) **SCHEMA_PROPOSAL**: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"bullet", "- SCHEMA_PROPOSAL: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"plus", "+ SCHEMA_PROPOSAL: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"quoted", "> SCHEMA_PROPOSAL: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"indented", "    SCHEMA_PROPOSAL: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"after code in a numbered list", "1. ```sql\nselect 1\n   ```\nSCHEMA_PROPOSAL: {\"a\":1}", "1. ```sql\nselect 1\n   ```\n⟦schema_proposal {\"a\":1}⟧"},
	// backticks
	{"name in backticks with its colon", "`SCHEMA_PROPOSAL:` {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"name in backticks", "`SCHEMA_PROPOSAL`: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"name in double backticks", "``SCHEMA_PROPOSAL``: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"bold backticks", "**`SCHEMA_PROPOSAL`**: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"bold backticks, colon in them", "- **`SCHEMA_PROPOSAL:`** {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"backticks, fence below", "`SCHEMA_PROPOSAL:`\n```json\n{\"a\":1}\n```\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"JSON in backticks", "SCHEMA_PROPOSAL: `{\"a\":1}`\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	// fences
	{"fence", "SCHEMA_PROPOSAL:\n```json\n{\"a\":1}\n```\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"tildes", "SCHEMA_PROPOSAL:\n~~~json\n{\"a\":1}\n~~~\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"fence on the line", "SCHEMA_PROPOSAL: ```json\n{\"a\":1}\n```\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"fence around both", "```json\nSCHEMA_PROPOSAL: {\"a\":1}\n```\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	// colons
	{"blank before the colon", "SCHEMA_PROPOSAL : {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"full-width colon", "SCHEMA_PROPOSAL：{\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"full-width colon, bold", "**SCHEMA_PROPOSAL**： {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	// case
	{"lower case", "schema_proposal: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"capitalised", "Schema_Proposal: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"lower case, bold", "**schema_proposal**: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"lower case, fence", "schema_proposal:\n```json\n{\"a\":1}\n```\n", "⟦schema_proposal {\"a\":1}⟧"},
	{"lower case, one word", "plan: {\"a\":1}", "⟦plan {\"a\":1}⟧"},
	// on the line with others
	{"after words", "Here it is: SCHEMA_PROPOSAL: {\"a\":1}\nGood?", "Here it is: ⟦schema_proposal {\"a\":1}⟧Good?"},
	{"after words, bold", "Here it is: **SCHEMA_PROPOSAL:** {\"a\":1}", "Here it is: ⟦schema_proposal {\"a\":1}⟧"},
	{"after words, in backticks", "Here it is. `SCHEMA_PROPOSAL`: {\"a\":1}", "Here it is. ⟦schema_proposal {\"a\":1}⟧"},
	{"after words of Chinese", "方案如下：SCHEMA_PROPOSAL：{\"a\":1}", "方案如下：⟦schema_proposal {\"a\":1}⟧"},
	{"after an icon", "✅ SCHEMA_PROPOSAL: {\"a\":1}", "✅ ⟦schema_proposal {\"a\":1}⟧"},
	{"two on a line", "SCHEMA_PROPOSAL: {\"a\":1} PLAN: {\"b\":2}\nGood?", "⟦schema_proposal {\"a\":1}⟧ ⟦plan {\"b\":2}⟧Good?"},
	{"glued", "SCHEMA_PROPOSAL: {\"a\":1}PLAN: {\"b\":2}", "⟦schema_proposal {\"a\":1}⟧⟦plan {\"b\":2}⟧"},
	{"suggestions on the line", "Good? SUGGESTED_VALUES: [\"Yes\"]", "Good? ⟦suggested_values [\"Yes\"]⟧"},
	// what nobody sees
	{"no-break space", "\u00a0SCHEMA_PROPOSAL:\u00a0{\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"zero-width space", "\u200bSCHEMA_PROPOSAL\u200b:\u200b {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"byte order mark", "\ufeffSCHEMA_PROPOSAL: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"ideographic space", "SCHEMA_PROPOSAL:\u3000{\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	// other markers
	{"marker without a colon", "@@BOX {\"a\":1} and @@BOX {\"b\":2}", "⟦boxed {\"a\":1}⟧ and ⟦boxed {\"b\":2}⟧"},
	{"escaped quotes", "SCHEMA_PROPOSAL: {\\\"a\\\":1}\nGood?", "⟦schema_proposal {\\\"a\\\":1}⟧Good?"},
	// in other clothes
	{"no colon", "SCHEMA_PROPOSAL {\"a\":1}\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"no colon, JSON below", "SCHEMA_PROPOSAL\n{\"a\":1}\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"no colon, bold", "**SCHEMA_PROPOSAL**\n{\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"no colon, a list", "SUGGESTED_VALUES [{\"label\":\"Yes\"}]", "⟦suggested_values [{\"label\":\"Yes\"}]⟧"},
	{"words", "SCHEMA PROPOSAL: {\"a\":1}\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"words, JSON below", "### SCHEMA PROPOSAL:\n{\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"hyphens", "SCHEMA-PROPOSAL: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"words, in bold", "**Schema Proposal:** {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"one more object", "{\"SCHEMA_PROPOSAL\": {\"a\":1}}\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"one more object, pretty", "Here:\n{\n  \"SCHEMA_PROPOSAL\": {\n    \"a\": 1\n  }\n}\nGood?", "Here:\n⟦schema_proposal {\n    \"a\": 1\n  }⟧Good?"},
	{"one more object, in a fence", "```json\n{\"SCHEMA_PROPOSAL\": {\"a\":1}}\n```\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"one more object, lower case", "{\"schema_proposal\": {\"a\":1}}", "⟦schema_proposal {\"a\":1}⟧"},
	{"brackets", "[SCHEMA_PROPOSAL]: {\"a\":1}\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"brackets, no colon", "[SCHEMA_PROPOSAL] {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"brackets around both", "[SCHEMA_PROPOSAL: {\"a\":1}]\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"parentheses", "(SCHEMA_PROPOSAL): {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"two brackets", "[[SCHEMA_PROPOSAL]] {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"underscores", "_SCHEMA_PROPOSAL:_ {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"two underscores", "__SCHEMA_PROPOSAL__: {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"quotes", "\"SCHEMA_PROPOSAL\": {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"equals", "SCHEMA_PROPOSAL = {\"a\":1}\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"arrow", "SCHEMA_PROPOSAL => {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	{"tags", "<SCHEMA_PROPOSAL>{\"a\":1}</SCHEMA_PROPOSAL>\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"tags on lines", "<schema_proposal>\n{\"a\":1}\n</schema_proposal>\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"one tag", "<SCHEMA_PROPOSAL>: {\"a\":1}\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"no colon, fence below", "**SCHEMA_PROPOSAL**\n```json\n{\"a\":1}\n```\nGood?", "⟦schema_proposal {\"a\":1}⟧Good?"},
	{"equals, in backticks", "`SCHEMA_PROPOSAL` = {\"a\":1}", "⟦schema_proposal {\"a\":1}⟧"},
	// several in one object or array
	{"two in an object", "{\"SCHEMA_PROPOSAL\": {\"a\":1}, \"PLAN\": {\"b\":2}}\nGood?", "⟦schema_proposal {\"a\":1}⟧⟦plan {\"b\":2}⟧Good?"},
	{"three, pretty", "{\n  \"schema_proposal\": {\"a\":1},\n  \"PLAN\": {\"b\":2},\n  \"SUGGESTED_VALUES\": [\"Yes\"]\n}\nGood?", "⟦schema_proposal {\"a\":1}⟧⟦plan {\"b\":2}⟧⟦suggested_values [\"Yes\"]⟧Good?"},
	{"two in a fence", "```json\n{\"SCHEMA_PROPOSAL\": {\"a\":1},\n \"PLAN\": {\"b\":2}}\n```\nGood?", "⟦schema_proposal {\"a\":1}⟧⟦plan {\"b\":2}⟧Good?"},
	{"an array of objects", "[{\"SCHEMA_PROPOSAL\": {\"a\":1}}, {\"PLAN\": {\"b\":2}}]\nGood?", "⟦schema_proposal {\"a\":1}⟧⟦plan {\"b\":2}⟧Good?"},
	{"two in brackets", "[SCHEMA_PROPOSAL: {\"a\":1}, PLAN: {\"b\":2}]\nGood?", "⟦schema_proposal {\"a\":1}⟧⟦plan {\"b\":2}⟧Good?"},
	{"tags in an array", "[<SCHEMA_PROPOSAL>{\"a\":1}</SCHEMA_PROPOSAL>, <plan>{\"b\":2}</plan>]\nGood?", "⟦schema_proposal {\"a\":1}⟧⟦plan {\"b\":2}⟧Good?"},
	{"another member behind it", "{\"PLAN\": {\"b\":2}, \"note\": {\"a\":1}}\nGood?", "⟦plan {\"b\":2}⟧, \"note\": {\"a\":1}}\nGood?"},
	{"words behind it", "(PLAN: {\"b\":2}, which is the plan)\nGood?", "⟦plan {\"b\":2}⟧, which is the plan)\nGood?"},
	// the same clothes on something else
	{"a link", "[SCHEMA_PROPOSAL](https://x.example/{a})", ""},
	{"a footnote", "[1]: {\"a\":1}\n(PLAN) is {\"a\":1}", ""},
	{"an object of another name", "{\"SCHEMA\": {\"a\":1}}\n{\"PLANS\": {\"a\":1}}", ""},
	{"a member", "{\"a\": {\"SCHEMA_PROPOSAL\": {\"a\":1}}}", ""},
	{"no value of JSON", "{\"SCHEMA_PROPOSAL\": \"none\"}\nSCHEMA_PROPOSAL = none\nSCHEMA PROPOSAL: {steps}\nPLAN {steps}", ""},
	{"words above JSON", "Schema proposal:\n{\"a\":1}\nplan\n{\"a\":1}\nPlan {\"a\":1}", ""},
	{"an object in a fence of code", "```js\nplan = {\"a\":1}\n```\n", ""},
	{"another tag", "<SCHEMA>{\"a\":1}</SCHEMA>\n<plans>{\"a\":1}</plans>", ""},
	// not cards, by design
	{"code example", "Like so:\n```\nanswer:\nSCHEMA_PROPOSAL: {\"a\":1}\n```\n", ""},
	{"code of another language", "```yaml\nplan: {\"a\":1}\n```\n", ""},
	{"all in a code span", "`SCHEMA_PROPOSAL: {\"a\":1}` is how, or say `PLAN: {}`.", ""},
	{"in a code span", "`x PLAN: {\"a\":1}` and ``x ` PLAN: {\"a\":1}``.", ""},
	{"undeclared, in bold", "**Example_Row**: {\"a\":1}", ""},
	{"table", "| card | SCHEMA_PROPOSAL: {\"a\":1} |", ""},
	{"HTML", "<p>SCHEMA_PROPOSAL: {\"a\":1}</p>", ""},
	// not cards: prose
	{"ordinary words", "plan: see {x}. Plan: {steps}\nThe plan: {\"a\":1}\nplan : [x]\nPlan:\n{\"a\":1}", ""},
	{"a heading above JSON", "Plan:\n```json\n{\"a\":1}\n```\n", ""},
	{"mentioned", "A SCHEMA_PROPOSAL: it has a name. Or SCHEMA_PROPOSAL {\"a\":1}; \"SCHEMA_PROPOSAL: {}\"", ""},
	{"part of a word", "xPLAN: {\"a\":1}, 3PLAN: {\"a\":1}, A-PLAN: {\"a\":1}", ""},
	{"mentioned, JSON below", "I call it PLAN:\n{\"a\":1}", ""},
	{"half decorated", "`PLAN: {\"a\":1}\n``PLAN`: {\"a\":1}\nPLAN`: {\"a\":1}\nPLAN:: {\"a\":1}\n1PLAN: {\"a\":1}\n12345. #", ""},
}

// What models make of a marker, and what the user gets, in whatever pieces it comes. "" stands for
// the text as it is.
func TestSpellings(t *testing.T) {
	list := cardTypes(t)
	for _, tt := range spellings {
		if tt.want == "" {
			tt.want = tt.in
		}
		t.Run(tt.name, func(t *testing.T) { checkCuts(t, list, tt.in, tt.want) })
	}
}

// checkCuts scans a text whole, cut into two and three pieces, and byte by byte.
func checkCuts(t *testing.T, list []*payload.Type, in, want string) {
	t.Helper()
	s := payload.NewScanner(list) // used again and again: Close makes it as new
	if got := scan(t, s, in); got != want {
		t.Fatalf("\n got %q\nwant %q", got, want)
	}
	for i := range len(in) {
		for j := i; j <= len(in); j++ {
			if got := scan(t, s, in[:i], in[i:j], in[j:]); got != want {
				t.Fatalf("cut at %d and %d:\n got %q\nwant %q", i, j, got, want)
			}
		}
	}
	var single []string
	for i := range len(in) {
		single = append(single, in[i:i+1])
	}
	must.Be(t, scan(t, s, single...), want, "byte by byte")
}

// broken are cards that lack a quote or a bracket: the rest of the answer is text.
var broken = []struct{ name, in, want string }{
	{"bracket, blank line", "PLAN: {\"a\":[1,2}\n\nThe rest.", "⟦plan {\"a\":[1,2}\n\n⟧The rest."},
	{"bracket, next line", "PLAN: {\"a\":{\"b\":1}\nThe rest.", "⟦plan {\"a\":{\"b\":1}\n⟧The rest."},
	{"bracket, same line", "PLAN: {\"a\":{\"b\":1} and the rest.", "⟦plan {\"a\":{\"b\":1} ⟧and the rest."},
	{"bracket, pretty", "PLAN: {\n  \"a\": [\n    1\n  ]\n\nThe rest.\n\n- one", "⟦plan {\n  \"a\": [\n    1\n  ]\n\n⟧The rest.\n\n- one"},
	{"bracket, a list", "PLAN: {\"a\":[1,2\n\n1. First\n2. Second", "⟦plan {\"a\":[1,2\n\n⟧1. First\n2. Second"},
	{"bracket, a list after a comma", "PLAN: {\"a\":1,\n- First", "⟦plan {\"a\":1,\n⟧- First"},
	{"bracket, numbers after a comma", "PLAN: {\"a\":1,\n1. First", "⟦plan {\"a\":1,\n⟧1. First"},
	{"bracket, bold", "PLAN: {\"a\":1\n\n**Then**", "⟦plan {\"a\":1\n\n⟧**Then**"},
	{"bracket, a link", "PLAN: {\"a\":1\n\n[More](x)", "⟦plan {\"a\":1\n\n⟧[More](x)"},
	{"bracket, Chinese", "PLAN: {\"a\":1\n\n其余的。", "⟦plan {\"a\":1\n\n⟧其余的。"},
	{"bracket, another card", "PLAN: {\"a\":1\nSCHEMA_PROPOSAL: {\"b\":2}\nGood?", "⟦plan {\"a\":1\n⟧⟦schema_proposal {\"b\":2}⟧Good?"},
	{"comma, another card", "PLAN: {\"a\":1,\n\nPLAN: {\"b\":2}", "⟦plan {\"a\":1,\n\n⟧⟦plan {\"b\":2}⟧"},
	{"bracket in a fence", "PLAN:\n```json\n{\"a\":{\"b\":1}\n```\nThe rest.", "⟦plan {\"a\":{\"b\":1}\n⟧The rest."},
	{"bracket in a fence, at the end", "PLAN:\n```json\n{\"a\":1\n```", "⟦plan {\"a\":1\n⟧"},
	{"a note after a comma", "PLAN: {\"a\":1,\nNote: the rest.", "⟦plan {\"a\":1,\n⟧Note: the rest."},
	{"quote", "PLAN: {\"a\":\"x}\n\nThe rest.", "⟦plan {\"a\":\"x}\n⟧\nThe rest."},
	{"quote, text before it", "PLAN: {\"a\":\"x\n\nThe rest.", "⟦plan {\"a\":\"x\n\n⟧The rest."},
	{"quote, next line", "PLAN: {\"a\":\"x}\nThe rest.", "⟦plan {\"a\":\"x}\n⟧The rest."},
	{"quote, quotes in the rest", "PLAN: {\"a\":\"x}\n\nThe \"rest\" of it, \"all\".", "⟦plan {\"a\":\"x}\n⟧\nThe \"rest\" of it, \"all\"."},
	{"quote, another card", "PLAN: {\"a\":\"x}\n\nThen:\nPLAN: {\"b\":2}\nGood?", "⟦plan {\"a\":\"x}\n⟧\nThen:\n⟦plan {\"b\":2}⟧Good?"},
	{"quote in a fence", "PLAN:\n```json\n{\"a\":\"x}\n```\nThe \"rest\".", "⟦plan {\"a\":\"x}\n⟧The \"rest\"."},
	{"quote in a fence that more signs end", "PLAN:\n```json\n{\"a\":\"x\n````\nThe rest.", "⟦plan {\"a\":\"x\n⟧The rest."},
	{"quote in a fence, text before it", "PLAN:\n```json\n{\"a\":\"x\n```\nThe rest.", "⟦plan {\"a\":\"x\n⟧The rest."},
	{"quote, pretty", "PLAN: {\n  \"a\": \"x,\n  \"b\": 2\n}\n\nThe rest.", "⟦plan {\n  \"a\": \"x,\n  \"b\": 2\n}\n⟧\nThe rest."},
	{"two broken", "PLAN: {\"a\":\"x}\n\nPLAN: {\"b\":\"y}\n\nThe rest.", "⟦plan {\"a\":\"x}\n⟧\n⟦plan {\"b\":\"y}\n⟧\nThe rest."},
	// not broken, or not to be seen
	{"blank lines in JSON", "PLAN: {\n\n\"a\": 1,\n\n\"b\": [\n\n2,\n\n-3.5e1,\ntrue\n,\nnull]\n\n}\nB", "⟦plan {\n\n\"a\": 1,\n\n\"b\": [\n\n2,\n\n-3.5e1,\ntrue\n,\nnull]\n\n}⟧B"},
	{"paragraphs in a string", "PLAN: {\"a\":\"one\n\ntwo {x}\n\nthree\", \"b\":1}\nB", "⟦plan {\"a\":\"one\n\ntwo {x}\n\nthree\", \"b\":1}⟧B"},
	{"paragraphs in the last string", "PLAN: {\"a\":\"one\n\ntwo\"\n}\nB", "⟦plan {\"a\":\"one\n\ntwo\"\n}⟧B"},
	{"names without quotes", "PLAN: {\n  a: 1,\n  b-c: 'x',\n  c: None,\n  d: [\n    {e: 1}\n    {e: 2}\n  ],\n  // don't\n  f: true, // that\n  g:\n    2\n}\nB",
		"⟦plan {\n  a: 1,\n  b-c: 'x',\n  c: None,\n  d: [\n    {e: 1}\n    {e: 2}\n  ],\n  // don't\n  f: true, // that\n  g:\n    2\n}⟧B"},
	{"an address without quotes", "PLAN: {a: https://x/y}\nB", "⟦plan {a: https://x/y}⟧B"},
	{"other quotes and blanks", "PLAN: {\n\u00a0\u00a0“a”: 1，\n“b”: 2\n}\nB", "⟦plan {\n\u00a0\u00a0“a”: 1，\n“b”: 2\n}⟧B"},
	{"cut off in a string", "PLAN: {\"a\":\"x", "⟦plan {\"a\":\"x: it ends in the middle⟧"},
	{"cut off in paragraphs", "PLAN: {\"a\":\"one\n\ntwo\"", "⟦plan {\"a\":\"one\n\ntwo\": it ends in the middle⟧"},
	{"cut off in a word", "PLAN: {\"a\":1,\n  tr", "⟦plan {\"a\":1,\n  tr: it ends in the middle⟧"},
	{"cut off after the value", "PLAN: {\"a\":[1,\n2", "⟦plan {\"a\":[1,\n2: it ends in the middle⟧"},
}

func TestBrokenCards(t *testing.T) {
	list := cardTypes(t)
	for _, tt := range broken {
		t.Run(tt.name, func(t *testing.T) { checkCuts(t, list, tt.in, tt.want) })
	}
}

// The rest after a missing bracket streams: it does not wait for the end of the answer. After a
// missing quote it does as soon as a quote shows that it is no string.
func TestTheRestStreams(t *testing.T) {
	for _, steps := range [][][2]string{
		{{"PLAN: {\"a\":{\"b\":1}\n\n", ""}, {"The", "The"}, {" rest", " rest"}},
		{{"PLAN: {\"a\":1,\n", ""}, {"The", ""}, {" ", ""}, {"rest", "The rest"}, {" of", " of"}},
		{{"PLAN: {\"a\":\"x}\n\n", ""}, {"The ", ""}, {"\"", ""}, {"rest", "\nThe \"rest"}, {"\" of", "\" of"}},
	} {
		s := payload.NewScanner(cardTypes(t))
		var got strings.Builder
		for _, step := range steps {
			got.Reset()
			if err := s.Feed(step[0], func(e payload.Event) error {
				if e.Kind == payload.Text {
					got.WriteString(e.Text)
				}
				return nil
			}); err != nil || got.String() != step[1] {
				t.Errorf("%q brought %q, want %q (%v)", step[0], got.String(), step[1], err)
			}
		}
	}
}
