// Package payload is typed data shown as a card: its types, the scanner that finds it in what a model writes, and the
// suggestions a model may end its answer with.
package payload
