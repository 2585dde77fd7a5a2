"""The task type `revert_refund`: takes a booked refund back with a booking of its own."""
