"""How much a page or a link belongs to the topic, by words or by a trained judge."""
