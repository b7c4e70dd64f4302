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
// A payload comes from a tool, beside its text (Type.Encode makes the card's data of it), or from
// the model. The model writes it into its answer, behind a marker at the start of a line, and a
// Scanner takes it out again while the answer streams:
//
//	scanner := payload.NewScanner(offered)
//	err := scanner.Feed(delta, func(e payload.Event) error { … })
//
// Growth shows the data of a payload while it is being written, Type.Read makes the data of it once
// it is complete: parsed, repaired where that is possible, checked against the schema. Whatever a
// model writes is untrusted.
//
// Which types a page offers is package page's business; how a card travels, and what happens when
// one cannot be read, package agent's.
package payload
