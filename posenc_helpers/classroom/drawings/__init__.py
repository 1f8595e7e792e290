"""The pictures that need more lines than a cell should have: one module per notebook."""
