"""How fast a full outbox is sent."""
