"""Published figures of ConvGenVisMo, and the game's curves on the published values of 85 conversations."""

from ircore.games.conversation.game import ConversationGame
from ircore.games.conversation.published import HOP_MEANS, TABLE_1


def test_published_figures_are_those_of_the_paper_and_its_repository() -> None:
    assert TABLE_1 == {"iou_common": 0.298925, "iou_precision": 0.223916, "iou_recall": 0.273368}
    assert all(len(means) == 5 for means in HOP_MEANS.values())
    clip = [figure.value for figure in ConversationGame.published if figure.measure == "clip"]
    assert clip == [0.652505, 0.692666, 0.689876, 0.705306, 0.689999]
    keys = {measure.key for measure in ConversationGame.measures}
    assert {figure.measure for figure in ConversationGame.published} <= keys
