"""Instance sets: target pictures with their labels, built, imported, stored and checked."""
