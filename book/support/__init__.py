"""What only chapters call: figures, simulations, the ledger, the atlas."""
