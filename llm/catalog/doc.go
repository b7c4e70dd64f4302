// Package catalog is what is known of providers and models: where a provider is, which keys and
// fields it wants, what a model takes and costs. It is data, in catalog.json; a configuration
// overrides all of it.
//
//	provider, ok := catalog.ProviderOf("groq")
//	known, ok := catalog.Find(catalog.OpenAI, "gpt-5-mini-2025-08-07")
//
// What it says of models is from the providers' own pages, as of September 2026, prices as of
// December 2025, those of DeepSeek and Groq as of May 2026. Where a price is not known it is left
// out, which counts as unknown and never as zero.
package catalog
