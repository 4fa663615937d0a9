"""PEOPLE JUDGE: from items to lists and orders."""
