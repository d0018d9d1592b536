"""From files to evidence."""
