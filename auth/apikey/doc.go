// Package apikey authenticates requests by keys that the operator hands out.
//
//	file := apikey.File("pageside.keys.json")
//	made, secret, err := file.Create(apikey.Key{Subject: "billing", Expires: inNinetyDays})
//	keys := apikey.New(file)
//
// A key is a random text that starts with pgs_, sent as "Authorization: Bearer pgs_…" or
// "X-API-Key: pgs_…". The file holds hashes of keys, and whose they are. A Keys notices when the
// file changes.
package apikey
