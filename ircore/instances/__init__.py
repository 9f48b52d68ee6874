"""Instance sets: target pictures with what is known of them, built, imported, stored and checked."""
