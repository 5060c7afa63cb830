"""What is made with gtlib: audits, large tables, figures, the ledger."""
