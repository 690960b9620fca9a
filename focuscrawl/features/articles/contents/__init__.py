"""What an article holds besides its paragraphs: lists, images; and a text that is shown twice."""
