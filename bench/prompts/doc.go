// Command prompts measures what a conversation's prompts cost, depending on where the page's
// context stands in them.
//
//	go run ./bench/prompts [RECORDING …]
//
// A recording holds what a browser posted during a conversation with the demo
// (web/apps/demo/scripts/record-conversation.mjs makes them). It is replayed through the run
// manager and the agent with the demo's tools and its scripted model, and every model call is
// captured. Each is then laid out in several ways from the same material: in Pageside's, which is
// what was captured, and in those of others. Tokens are OpenAI's (o200k_base). The longest
// beginning that a prompt shares with an earlier one of the conversation counts as cached, in steps
// of 128 tokens and from 1,024 on, as OpenAI documents it. A cached token costs a tenth.
//
// A second table has what each provider would serve from its cache: the requests as its adapter
// writes them, cut into tools, blocks and pieces of messages. OpenAI and Gemini cache whatever
// begins alike; Claude only what ended at a breakpoint, which it finds up to 20 blocks back.
package main
