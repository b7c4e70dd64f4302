// Package config reads pageside.yaml and turns it into the values the other packages take.
//
//	file, err := config.Load("pageside.yaml")
//	site, err := config.Build(ctx, file, config.Options{Env: os.Getenv, OpenModel: open})
//	defer site.Close()
//
// What the file may hold is the type File; Schema is the same as a JSON Schema, for editors.
// Whatever is wrong with a file is an Errors: each names the file, the line, the field and what
// would be right.
//
// A file holds no secrets: a key or token is written as env:NAME or file:PATH. Long texts may be in
// files of their own, file:PATH. Watch builds the site again when the file, or one that it refers
// to, changes; a bad file leaves the old site in place.
//
// Which packages speak to which model provider is left to the caller (Options.OpenModel), and so
// are listening and serving.
package config
