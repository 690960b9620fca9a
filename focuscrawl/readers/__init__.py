"""What several features read pages by: markup and encodings, links and their rules, the words of a topic, dates."""
