// Package talk reads questions about the library of Research and answers them with its tools: how
// many, which, the newest, the most frequent, filters set and cleared.
//
// Like package ask, it guesses nothing. words.txt holds the words; what a question is made of is
// data, so a new field or status is a line there.
package talk
