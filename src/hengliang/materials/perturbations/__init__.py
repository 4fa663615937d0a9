"""How are acceptable Mandarin sentences made worse, one documented change at a time?"""
