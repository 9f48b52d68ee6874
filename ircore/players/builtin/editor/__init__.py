"""The built-in editor: solves pictures of puzzles, and two floors that do not."""

from ircore.players.builtin.editor.player import EditorPlayer as EditorPlayer
from ircore.players.builtin.editor.player import IdentityEditor as IdentityEditor
from ircore.players.builtin.editor.player import RandomEditor as RandomEditor
