"""Sending one mail to one recipient: the tool nobody can ask afterwards."""
