"""PEOPLE JUDGE: what a participant does with one stimulus."""
