// Package streams has the streams of model answers that adapters are tested with. It makes those in
// llm/*/testdata: a few answers, each as every provider's API would send it. They are ours, written
// after the documentation of the APIs. The adapters' tests play them whole, in pieces and cut off,
// and besides recordings of real servers where there are some.
//
//	UPDATE=1 go test ./test/streams   writes the files again
package streams
