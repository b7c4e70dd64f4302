// Package httpmodel is what the packages of the providers share: it sends a request, watches the
// clock, reads the event stream that answers, and turns every failure into an *llm.Error that holds
// no key.
//
// A provider's package is what remains: a request builder, a reader of the provider's chunks (an
// Answer), and a table of its errors (Answer.ReadError, which returns a Failure).
//
//	client := httpmodel.New(httpmodel.Config{Model: "acme/m1", URL: url, Key: key})
//	…
//	return httpmodel.Parts(dialect, req, func(fit *llm.Fitted, yield httpmodel.Yield) error {
//		call := client.Call(ctx, fit, yield)
//		return call.Do(encode(fit.Request), &answer{Call: call})
//	})
//
// Where a provider's SDK does the sending, as Bedrock's does, Output, Interrupted, Scrubber and the
// rest of the errors serve without a Client.
//
// Retrying a call is package agent's business.
package httpmodel
