"""Logs of evaluation harnesses, read without the harness: one module each, behind one registry."""
