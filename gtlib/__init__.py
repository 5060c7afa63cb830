"""How good is a test collection, and what should be built next?"""
