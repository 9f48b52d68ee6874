"""The Image Reconstruction Game (arXiv 2606.01901): rules, prompts, targets, language and published figures."""
