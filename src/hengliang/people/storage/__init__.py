"""PEOPLE JUDGE: what is kept of participants and their answers, so that none is lost."""
