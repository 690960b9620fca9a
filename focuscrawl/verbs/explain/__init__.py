"""The verbs that say why: explain, plan, and what the words of today would make of what is stored."""
