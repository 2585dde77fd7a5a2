"""The pages of requests: where they stand, what people post, what they are told."""
