// Package aisdk serves front ends of Vercel's AI SDK UI: useChat with its DefaultChatTransport, and
// what is built on it. It speaks the UI message stream protocol, version 1, as ai 5 to 7 define it.
// A chat is a thread, and all messages of an answer are one UIMessage. The reference is
// docs/reference/ai-sdk.md.
package aisdk
