"""The built-in editor: solves pictures of puzzles, and two floors that do not."""

from ircore.players.builtin.editor.floors import IdentityEditor as IdentityEditor
from ircore.players.builtin.editor.floors import RandomEditor as RandomEditor
from ircore.players.builtin.editor.player import EditorPlayer as EditorPlayer
