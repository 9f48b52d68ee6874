"""Results become tables, figures and pages of a static site."""
