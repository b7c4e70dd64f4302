// Package llm defines a model call: a request goes in, parts arrive over time.
//
//	for part, err := range model.Stream(ctx, req) {
//		if err != nil {
//			return err
//		}
//		if part.Kind == llm.TextDelta {
//			fmt.Print(part.Delta)
//		}
//	}
//
// Fallback combines several models into one, WithProfile corrects the Info of a model, and Cost
// computes the cost of a call.
//
// The package knows no vendor and no AG-UI. Each package below it speaks one vendor's wire format.
// Package agent decides what to ask, runs the tools and tells the user.
package llm
