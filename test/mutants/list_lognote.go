package main

// noting breaks what a start knows of the log that a killed process has left.
func noting() []mutant {
	refused := in{"store/sqlstore/lognote.go", "store/sqlstore", "TestCutLogIsRefused"}
	starts := in{refused.file, refused.pkg, "TestNotedLogStarts"}
	mark := in{"internal/dbfile/mark_linux.go", refused.pkg, starts.tests}
	closed := in{"store/sqlstore/open.go", refused.pkg, "TestNothingIsNotedOfAClosedStore"}
	return []mutant{
		refused.mutant("log note: nothing is noted", "_ = n.file.SetNote(end.line(mark))", "_ = end"),
		refused.mutant("log note: frames are not counted", "if w.frames < e.frames {\n\t\treturn false", "if w.frames < e.frames {\n\t\treturn true"),
		refused.mutant("log note: an older log is taken", "binary.BigEndian.Uint32(e.salt[:])) > 0", "binary.BigEndian.Uint32(e.salt[:])) != 0"),
		starts.mutant("log note: a later cycle is refused", "binary.BigEndian.Uint32(e.salt[:])) > 0", "binary.BigEndian.Uint32(e.salt[:])) > 1<<30"),
		starts.mutant("log note: it is believed of another database", "mark != file.Mark() ||", ""),
		starts.mutant("log note: it is believed though it is damaged", "|| e.line(mark) != line {", "{"),
		starts.mutant("log note: a folded log must be there", "if mark != n.mark || !ok {", "if !ok {"),
		in{mark.file, mark.pkg, closed.tests}.mutant("log note: it is believed after a start of the machine", `bootID(), s.Dev,`, `"boot", s.Dev,`),
		mark.mutant("log note: it is believed of a database that was written since", "s.Ctim.Nano())", "s.Mtim.Nano())"),
		closed.mutant("log note: a closed store has one", "w.wal.clear()\n\terr", "err"),
	}
}
