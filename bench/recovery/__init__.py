"""How fast what died is back, and what the tree of processes costs while nothing happens."""
