"""What could be cleaned in a memory: findings, each with its reason and, where there is one, its fix as edits of a draft.

Rules are pure; what they need to know of the disk is gathered apart (`looking`). Nothing here changes anything.
"""
