"""PEOPLE JUDGE: the revisions of the survey's tables, oldest first."""
