"""The routes of pages, by what they are about."""
