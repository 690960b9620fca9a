"""On how many pages each word group of a topic was found, and which articles rest on one mention."""
