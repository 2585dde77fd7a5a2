"""The task type `write_customer`: one mail to the customer of a ticket, in a person's own words."""
