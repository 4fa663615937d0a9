"""How do people describe scenes, and how does that change with the number of things in them?"""
