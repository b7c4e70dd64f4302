// Package vertex asks Gemini and Claude at Google's Vertex AI: the addresses and credentials are
// Google's, the rest is done by the packages gemini and anthropic.
//
//	model, err := vertex.Resolve("vertex/gemini-2.5-flash", os.Getenv)
//
// Credentials are Google's Application Default Credentials: the file that
// GOOGLE_APPLICATION_CREDENTIALS names, what `gcloud auth application-default login` has left, or
// the machine's own service account. They are looked for at the first call.
package vertex
