"""Reports and pages as self-contained HTML."""
