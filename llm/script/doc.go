// Package script is a model that plays rules from a YAML file: the demo that needs no key, tests,
// and reports of bugs that anyone can replay. It goes through the same loop as a real model, and
// Info().Scripted is set, so that whoever shows its answers can say where they come from.
//
//	model, err := script.Load("demo.yaml")
//
// A rules file:
//
//	name: demo              # the model is script/demo; default: the file's name
//	pace: 12ms              # the wait between two words; default none
//	limitText: I stop here. # said instead of calling tools when the request forbids calls
//	report: {…}             # anything, for whoever reads the file, such as a report of a bug
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
// The question is the newest user message with text of its own; page context in it, or after it, is
// not part of it. The rules are tried in order, and the first whose match finds something in the
// question and whose when renders "true" answers. Each needs at least one of the two, or fallback:
// true, which only the last may have. A file without one gets a fallback that says so. Once a rule
// has called a tool it keeps the answer, whatever its when says later.
//
// The steps are the model calls since the question: the first is played at once, the second when
// the results of the first's calls are there, and so on. After the last one the model stops without
// a word, unless that has repeat: true.
//
//	reasoning, text  templates, streamed word by word
//	calls            tool, args (any YAML; strings are templates; !json '…' renders to JSON
//	                 instead of to a string) or rawArgs (a template: the text as it is, valid or
//	                 not); when: makes the call only if it renders "true"
//	delay            the wait between two deltas of this step, in place of pace
//	chunk            characters a delta carries, in place of a word
//	error            {kind, message, status, retryAfter, afterText}: the step fails, before or
//	                 after its text
//	finish           stop, tools, length, filter or other; default: tools after calls, else stop
//	usage            {input, output, reasoning, cacheRead, cacheWrite}; default: none is reported
//
// # Templates
//
// Templates are text/template. A field that is missing is an error, which ends the call as
// llm.KindProtocol and names the rule and step; text is trimmed of the space around it. They see
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
// What to do with the answer, and how the page context is written into a request, is package
// agent's business; this package reads it as texts of the form <page_context id="…"> JSON array
// </page_context>, with the tables in them as the lists of records that they were. Texts that are
// nothing but <page_event>…</page_event> lines are no question either.
package script
