"""Manual state edit and manual migration: a person writes a held run's state, a second one allows it.

`writing` turns what was typed into bytes, `judging` says who may and what has moved, `proposing`,
`deciding` and `ending` are the verbs of people, `committing` is the engine's one use of it.
"""
