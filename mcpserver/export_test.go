package mcpserver

// NewClientSession opens the session of a client for tests of other transports; Close ends it.
func NewClientSession(c Config) (*clientSession, error) { return newClientSession(c) }
