"""The database: schema, connections, the writer of mirror rows, and the daemon's own tables."""
