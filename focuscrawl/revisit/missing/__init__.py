"""Pages that are not there any more, whatever their status says."""
