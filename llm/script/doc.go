// Package script is a model that plays rules from a YAML file, for demos without a key, tests and
// reproducible bug reports. It goes through the same loop as a real model. Info().Scripted is set,
// so that its answers can be labelled.
//
//	model, err := script.Load("demo.yaml")
//
// A rules file:
//
//	name: demo              # the model is script/demo; default: the file's name
//	pace: 12ms              # the wait between two words; default none
//	limitText: I stop here. # the text in place of tool calls if the request forbids calls
//	report: {…}             # anything, for people who read the file, such as a bug report
//	rules:
//	  - match: '(?i)which pages .* (?P<status>\d{3})'
//	    steps:
//	      - reasoning: The user wants one status.
//	        text: Let me look.
//	        calls:
//	          - tool: execute_ppl_query
//	            args:
//	              query: >-
//	                source=logs | where status = {{ .Match.status }} | stats count() as n by path
//	      - text: |
//	          {{ $rows := (index .Results 0).rows -}}
//	          {{ (first $rows).path }} leads with {{ num (first $rows).n }}.
//	  - fallback: true
//	    steps: [{text: I know only about pages.}]
//
// # Rules
//
// The question is the newest user message with text of its own; page context in or after it does
// not count. Rules are tried in order. The first one whose match is found in the question and whose
// when renders "true" answers. Each needs at least one of the two, or fallback: true, which only
// the last may have. A file without a fallback gets a default one. Once a rule has called a tool it
// keeps the answer, whatever its when says later.
//
// A rule with words answers only questions in which it knows every word, so that it never answers
// another question than the one asked:
//
//	words: the a of is me                    # of the file: what changes nothing
//	rules:
//	  - match: '(?i)top (?P<n>\d+) pages'
//	    words: top page* show list           # of the rule; page* is whatever begins so
//
// What a named group of the match has taken is known, too: "show me the top 5 pages" is answered,
// "show me the top 5 pages of Firefox" is not.
//
// The steps are the model calls since the question: the first is played immediately, the second
// when the results of the first's calls are there, and so on. After the last one the model stops
// without text, unless that has repeat: true.
//
//	reasoning, text  templates, streamed word by word
//	calls            tool, args (any YAML; strings are templates; !json '…' renders to JSON
//	                 instead of to a string) or rawArgs (a template: the text as it is, valid or
//	                 not); when: makes the call only if it renders "true"; each: a template of
//	                 a list in JSON: a call for each item, which its templates see as .Each
//	delay            the wait between two deltas of this step, in place of pace
//	chunk            characters a delta carries, in place of a word
//	error            {kind, message, status, retryAfter, afterText}: the step fails, before or
//	                 after its text; with code in place of kind, as an llm.PublicError
//	finish           stop, tools, length, filter or other; default: tools after calls, else stop
//	usage            {input, output, total, reasoning, cacheRead, cacheWrite}; default: none is
//	                 reported
//
// # Templates
//
// Templates are text/template. A missing field is an error, which ends the call as llm.KindProtocol
// and names the rule and step. Surrounding space is trimmed. They see
//
//	.User .Step .Tools     the question, the step from 0, the names of the tools offered;
//	                       .ToolOffered "name"
//	.Match                 the groups of match, by name or number: .Match.status, index .Match "1"
//	.Results .Calls        of the calls since the question: the results, decoded where they are
//	                       JSON; {ID, Name, Args, Result, IsError}
//	.Context               the page context: {Description, Label, ID, Value}, Value decoded where
//	                       it is JSON
//	context "name"         the value of the item with that description, label or id; nil where
//	                       there is none
//	result "tool"          the newest result of a tool, nil where it was not called;
//	                       called "tool" tells
//	cite "source"          the mark of a source by its address or title, such as [3]; "" where no
//	                       result rests on it
//	get VALUE "a.0.b"      a value down a path, nil where it is missing; has VALUE "a.0.b" tells
//	default FALLBACK VALUE in place of nil and ""
//	json, num (1,234), pct PART TOTAL (12.5%)
//	date LAYOUT VALUE      a Go layout; RFC 3339, UNIX seconds or milliseconds
//	add sub mul div, round DIGITS VALUE, lt le gt ge   numbers of any type
//	first last sum LIST, pluck "path" LIST, join ", " LIST, list A B …, split "," TEXT
//	lower upper trim TEXT, replace OLD NEW TEXT, contains PART TEXT, words TEXT
//	matches RE TEXT, replaceRe RE NEW TEXT, quoteRe TEXT   regular expressions; $1 is a group
//	dict "name" VALUE …, merge OBJECT …, omit "name" … OBJECT   objects
//	append LIST VALUE …, concat LIST …, take N LIST, drop N LIST, unique LIST
//	countBy "path" LIST    [{value, count}], the most frequent first; an item with a list counts
//	                       for each of its values
//	where "path" VALUE LIST, having "path" RE LIST    the items with that value, or with a match
//	sortBy "path" LIST, records LIST                  in order; only the objects in it
//
// where, having, countBy and the like take a missing list, nil, for an empty one.
//
// Package agent decides what to do with the answer and how to write the page context into a
// request. This package recognises the page context as texts of the form <page_context id="…"> JSON
// array </page_context>, and converts its tables back to lists of records. Texts that only hold
// <page_event>…</page_event> lines do not count as a question either.
package script
