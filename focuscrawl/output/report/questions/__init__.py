"""What a report asks of a topic's databases: what is new (news), how it went (course), what to look after (diagnostics).

Each question is counted and its first rows are read; the answers are the plain values of ``contents``.
"""
