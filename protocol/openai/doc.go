// Package openai serves clients of OpenAI's API: chat completions, responses and models. Agents are
// models, the request's tools are tools of the client. The reference is docs/reference/openai.md.
//
// A parameter that Pageside cannot honour is refused with OpenAI's error, which names it. A value
// that changes nothing, such as a temperature of 1, is accepted.
package openai
