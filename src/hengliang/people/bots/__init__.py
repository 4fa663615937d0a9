"""PEOPLE JUDGE: programs that take part in a survey as people would."""
