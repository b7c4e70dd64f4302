// Package openai serves clients of OpenAI's API: chat completions, responses and models. Agents are
// models, the request's tools are tools of the client. The reference is docs/reference/openai.md.
//
// What a parameter would change and Pageside cannot is refused with OpenAI's error, which names it;
// a value that changes nothing, such as a temperature of 1, is taken.
package openai
