package main

import "slices"

// mutants returns all mutants. Texts are as short as is unique: code around them may change.
func mutants() []mutant {
	return slices.Concat(authority(), locals(), isolation(), taintSources(), taintStored(), approvals(), allowances(), pageCalls(), merging(), instructing(), sharing(), guests(), verifying(), addresses(), requests(), tools(), origins(), records(), proving(), keeping(), searching(), counting(), telling(), shares(), choices(), credentials(), held(), noting(), configured())
}

// in names what mutants of one place share.
type in struct{ file, pkg, tests string }

// break returns the mutant of a place.
func (at in) mutant(name, old, new string) mutant {
	return mutant{name: name, file: at.file, old: old, new: new, pkg: at.pkg, tests: at.tests}
}

// daily marks a mutant as part of the sample.
func (m mutant) daily() mutant {
	m.sample = true
	return m
}
