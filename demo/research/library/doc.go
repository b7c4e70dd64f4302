// Package library is an index of articles and clinical trials in SQLite, with full-text search.
//
//	lib, err := library.Open(ctx, library.Files{Articles: "articles.jsonl.gz"})
//	defer lib.Close()
//	found, err := lib.Search(ctx, library.ArticleQuery{Text: query, Limit: 20})
//
// It reads articles as JSON lines and trials as the CSV that ClinicalTrials.gov exports, each plain
// or gzipped. What cannot be read is counted, the first ten with their line, and left out.
// Without a file there is a generated library: made up, always the same, and called so.
//
// Reading the query language is package pubmed's business.
package library
