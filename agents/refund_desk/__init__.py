"""The task type `refund_desk`: reads a ticket, books the refund, files it, answers, tells by mail."""
