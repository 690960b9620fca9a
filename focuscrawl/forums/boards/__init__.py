"""The threads of a board, with their reply counts."""
