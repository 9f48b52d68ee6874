"""Players that need no model and no network: two describers and two generators."""
