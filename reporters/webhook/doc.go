// Package webhook reports failures of a run to chats, by webhook: one digest per run and chat. The code is in
// reporters/internal/webhook; this is what other folders need of it.
package webhook
