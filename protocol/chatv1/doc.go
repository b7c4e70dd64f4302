// Package chatv1 speaks a chat protocol of seven events over Pageside's runs, for front ends that
// were written for it: status, text_delta, tool_start, tool_progress, tool_complete, and complete
// or error at the end. The reference is docs/reference/chat.md.
//
// A conversation is a thread that is called chat-<number>: the number is part of the thread's id,
// so the mapping is as durable as the thread and needs no table. Threads belong to their owner, and
// so do the numbers: a number that is somebody else's is unknown.
package chatv1
