"""One module a revision, named NNNN_words."""
