"""The best documents by score, in order, compiled."""

from duelist.duel import FloatArray, IntArray
from duelist.kernels.compile import compiled


@compiled
def rank_top(scores: FloatArray, ranking: IntArray) -> int:
    """Write the documents of the highest scores, best first, into the room there is; return how many.

    Of equal scores the earlier document comes first.
    """
    room = len(ranking)
    filled = 0
    for document in range(len(scores)):
        score = scores[document]
        if filled == room:
            if not score > scores[ranking[room - 1]]:
                continue
            place = room - 1
        else:
            place = filled
            filled += 1
        while place > 0 and score > scores[ranking[place - 1]]:
            ranking[place] = ranking[place - 1]
            place -= 1
        ranking[place] = document
    return filled
