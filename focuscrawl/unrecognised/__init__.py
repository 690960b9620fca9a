"""What a run has read and could not make out: it is told, since "finished" is not a summary."""
