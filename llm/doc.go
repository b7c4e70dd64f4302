// Package llm says what a model call is: a request goes in, parts arrive over time.
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
// Fallback makes one model of several that stand in for each other, WithProfile corrects the Info
// of a model, and Cost computes what a call cost.
//
// It knows no vendor and no AG-UI. The packages below it each speak one vendor's wire format; what
// to say to a model, running the tools it calls and telling the user are package agent's business.
package llm
