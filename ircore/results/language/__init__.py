"""The language of describers' messages: the ten categories of correction, words, and the share of new words."""
