"""The systems that the demo's refund desk works with: a tracker, a store, and two shops' books."""
