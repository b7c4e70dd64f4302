// Package payload defines typed data shown as cards: its types, the scanner that finds it in a
// model's text, and the suggestions at the end of an answer.
//
//	types, err := payload.NewRegistry(
//		&payload.Type{Name: "search_results", Description: "Hits of a search.", Schema: hits},
//		&payload.Type{
//			Name: "schema_proposal", Description: "Proposed changes to a stream.",
//			Source: payload.FromLLM, Schema: proposal,
//			Instructions: "Use it when the user asks for recommendations.",
//		},
//	)
//
// A payload comes from a tool, with its text (Type.Encode returns the data), or from the model. The
// model writes it into its answer after a marker, and a Scanner extracts it from the stream:
//
//	scanner := payload.NewScanner(offered)
//	err := scanner.Feed(delta, func(e payload.Event) error { … })
//
// Models are told to write the marker at the start of a line, with JSON behind it. The scanner also
// takes what they make of that:
//
//   - bold type, backticks, a heading, a number or a bullet: "**PLAN**: {…}", "1. `PLAN:` {…}"
//   - a blank before the colon, a full-width colon, invisible characters
//   - JSON on a later line, in backticks, or in a fence of either kind
//   - at the start of a line, if JSON follows at once: lower case; brackets, quotes, underscores or
//     one more object around it, or around several; a tag; "=" or nothing in place of the colon;
//     blanks or hyphens between its words (marker.go has the grammar)
//   - a marker after words, or after another card, if JSON follows on the same line
//
// Code spans, fences that do not begin with a marker, rows of tables, and lines that begin with
// another tag are text. So is what follows a marker of no declared type, unless plain
// JSON follows: see UnknownType.
//
// Where a bracket is missing, the JSON ends before the first line that cannot belong to it, and the
// rest of the answer is text. Where a quote is missing, it takes a quote that closes nothing, the
// end of a fence, or the end of the answer to know: until then, what follows a blank line, or a
// line that ends with a bracket, is held back. So every byte of an answer is emitted, as text or in
// a payload, except for the decoration of markers and JSON that is too large.
//
// Growth shows the data of an unfinished payload. Type.Read returns the complete data: parsed,
// repaired if possible, checked against the schema. Anything a model writes is untrusted.
//
// Package page decides which types a page offers, package agent how payloads are sent and what
// happens to unreadable ones.
package payload
