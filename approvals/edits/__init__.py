"""States written by hand, as the permission knows them: what a second person is asked, and where."""
