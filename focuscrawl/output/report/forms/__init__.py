"""How a report looks: a page of HTML with charts, a text, JSON; its words in two languages (words.toml)."""
