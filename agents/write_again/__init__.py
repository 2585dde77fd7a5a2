"""The task type `write_again`: one mail to whom an effect concerned, in a person's own words."""
