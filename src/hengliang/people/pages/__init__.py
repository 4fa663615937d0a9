"""PEOPLE JUDGE: the pages of a survey in the browser."""
