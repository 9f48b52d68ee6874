"""What describers' messages say: the ten categories of correction language, words, and how much of them is new."""
