// Package webhook tells chats, by webhook, that a run had failures: one digest per run and chat.
package webhook
