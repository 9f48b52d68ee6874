"""Said, drawn, corrected: which facts of a target the messages state and the renderings show, turn by turn."""
