"""What questions cost: prices, totals, the forecast before play, the limit during it."""
