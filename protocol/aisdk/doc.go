// Package aisdk serves front ends of Vercel's AI SDK UI: useChat with its DefaultChatTransport, and
// what is built on it. It speaks version 1 of the UI message stream protocol. A chat is a thread,
// and all messages of an answer are one UIMessage. The reference is docs/reference/ai-sdk.md.
package aisdk
