"""One module for each question, with its result class."""
