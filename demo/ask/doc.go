// Package ask reads questions about an access log and writes the PPL that answers them.
//
//	q, ok := ask.Read("how many requests from Firefox after 6pm?")
//	query := q.PPL(log)
//
// It guesses nothing: every word of a question has a meaning, which the answer uses, or is one that
// changes nothing. A question with any other word is not read, nor is one whose words can be put
// together in more than one way. lexicon.txt is the table of words and patterns, read at the first
// question.
package ask
