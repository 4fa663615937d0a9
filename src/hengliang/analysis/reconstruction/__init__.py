"""How well did readers rebuild scenes from descriptions, how far apart were they, and did experts foresee it?"""
