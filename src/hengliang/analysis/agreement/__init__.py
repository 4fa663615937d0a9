"""How far do raters agree with each other, and judges of different kinds?"""
