// Package webhook reports failures of a run to chats, by webhook: one digest per run and chat.
package webhook
