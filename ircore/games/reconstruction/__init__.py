"""The Image Reconstruction Game (arXiv 2606.01901): its rules, prompts, targets, language and published figures."""
