// Package config reads pageside.yaml and builds the values that the other packages take.
//
//	file, err := config.Load("pageside.yaml")
//	site, err := config.Build(ctx, file, config.Options{Env: os.Getenv, OpenModel: open})
//	defer site.Close()
//
// File describes the file's structure; Schema returns it as a JSON Schema for editors. A file that
// is wrong yields Errors: each names the file, the line, the field and the remedy.
//
// A file holds no secrets: keys and tokens are written as env:NAME or file:PATH. Long texts may
// live in files of their own, as file:PATH. Watch rebuilds the site when the file, or one that it
// refers to, changes; an invalid file leaves the current site in place.
//
// The caller opens models (Options.OpenModel), listens and serves.
package config
