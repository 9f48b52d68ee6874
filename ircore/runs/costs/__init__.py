"""Cost of questions: prices, totals, the forecast before play, the limit during play."""
