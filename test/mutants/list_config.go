package main

// configured breaks what is found wrong in a pageside.yaml.
func configured() []mutant {
	wrong := in{"config/read.go", "config", "TestWhatIsSaidOfAFile"}
	return []mutant{
		wrong.mutant("config: a secret may stand in the file", "r.notHere(at, v, about)", "_ = about"),
		wrong.mutant("config: a required field may be missing", "case n == nil || n.Tag", "case n != nil && n.Tag"),
		wrong.mutant("config: a number may be negative", "case s != nil && v < 0:", "case false:"),
		wrong.mutant("config: any choice will do", "if s.Enum != nil && n.Value", "if false && n.Value"),
		wrong.mutant("config: two agents have one id", "if isText && before[name] {", "if isText && false {"),
		wrong.mutant("config: merge keys are passed over", `case key.Tag == "!!merge":`, "case false:"),
		wrong.mutant("config: the last of two equal keys wins", "case seen[key.Value]:", "case false:"),
		wrong.mutant("config: what a misspelt key hides is not told", `if target != "" && !has(target) {`, "if false {"),
	}
}
