"""The pages of a rollback: its plan, its six phases, its runs, and the board of its effects."""
