"""Running programs that nobody vouches for: bubblewrap, seccomp and resource limits, or not at all."""
