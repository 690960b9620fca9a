"""Forums (A9): what boards count of their threads, and the posts of threads, without a rule for any forum.

Rows and posts are elements that repeat with one form; what stands at the same place in them means the
same. A site's selectors win where they find something.
"""
