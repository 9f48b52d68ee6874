"""Scripts that run inside of the sandbox; they know nothing of this project and import none of it."""
