"""Rolling a release back: a plan of six phases, and what the withdrawn combo left outside."""
