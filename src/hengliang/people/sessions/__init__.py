"""PEOPLE JUDGE: what a survey consists of and which page comes next."""
