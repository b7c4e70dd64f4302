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
// model writes it into its answer after a marker at the start of a line, and a Scanner extracts it
// from the stream:
//
//	scanner := payload.NewScanner(offered)
//	err := scanner.Feed(delta, func(e payload.Event) error { … })
//
// Growth shows the data of an unfinished payload. Type.Read returns the complete data: parsed,
// repaired if possible, checked against the schema. Anything a model writes is untrusted.
//
// Package page decides which types a page offers, package agent how payloads are sent and what
// happens to unreadable ones.
package payload
