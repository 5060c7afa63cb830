"""What is made with gtlib: audits, large tables, figures, a ledger,
simulations."""
