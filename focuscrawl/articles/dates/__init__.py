"""When an article was published, as its page states or prints it."""
