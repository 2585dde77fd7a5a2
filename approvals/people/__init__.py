"""Whom a request asks: who may decide, who did, who is told, and what a tenant can satisfy."""
