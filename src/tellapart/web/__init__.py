"""The web page: plan and compare in the browser, and the same answers as JSON."""
