"""Who answers: which systems can be asked, and what does each kind of them promise?"""
