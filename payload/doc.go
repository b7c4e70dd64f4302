// Package payload is typed data shown as a card: its types, the scanner that finds it in what a
// model writes, and the suggestions a model may end its answer with.
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
// A payload comes from a tool, beside its text (Type.Encode returns its data), or from the model.
// The model writes it into its answer, behind a marker at the start of a line, and a Scanner takes
// it out again while the answer streams:
//
//	scanner := payload.NewScanner(offered)
//	err := scanner.Feed(delta, func(e payload.Event) error { … })
//
// Growth shows the data of a payload while it is being written. Type.Read returns the data once it
// is complete: parsed, repaired if possible, checked against the schema. Whatever a model writes is
// untrusted.
//
// Package page knows which types a page offers, package agent how a payload travels and what
// happens when one cannot be read.
package payload
