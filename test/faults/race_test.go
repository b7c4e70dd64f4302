//go:build race

package faults

// underRace says that the race detector is on: then memory and speed are not the product's.
const underRace = true
