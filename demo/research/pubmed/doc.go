// Package pubmed reads searches written in PubMed's syntax and says which articles they find.
//
//	q, err := pubmed.Parse(`venetoclax[tiab] NOT review[pt] AND 2020:2024[dp]`)
//	found := q.Finds(&doc)
//
// What it follows is "PubMed User Guide" of the National Library of Medicine, as far as a library
// without PubMed's vocabularies can:
//
//   - AND, OR and NOT in capitals are read from left to right, all with the same rank;
//     parentheses group. Terms side by side are joined by AND.
//   - A word, or "a phrase" in quotes, may carry a tag in brackets, in any case: [ti] [tiab] [tw]
//     [all] [mh] [mh:noexp] [au] [ta] [dp] [pt], and the long names, such as [MeSH Terms]. A tag
//     behind several bare words makes them a phrase. Bare words without a tag are each looked for
//     in all fields; those that say nothing, such as "the", are left out.
//   - A star ends a word of four letters or more, or the last word of a phrase, and stands for
//     any ending.
//   - [dp] takes 2024, 2024/05 or 2024/05/17, and ranges of them, 2020:2024. What is only known by
//     its year or month counts from its first day.
//   - [mh] and [pt] include what is named below a term: leukemia[mh] finds "Leukemia, Myeloid,
//     Acute". The real tree of headings is not known here.
//   - [au] finds a name by the last name, with or without initials; [ta] a journal by its whole
//     title.
//
// Everything else is refused with a list of what is supported.
//
// The caller makes a Doc of each article with Spaced and Names, so that both sides
// normalise words alike.
package pubmed
