"""An example to try an arena on: four ways to explain everyday things."""

import json
import os
from pathlib import Path

from duelist.errors import FileError

ARMS = ("plain", "picture", "textbook", "chatty")
EXPLANATIONS = {
    "Why is the sky blue?": (
        "Sunlight is a mix of all colours. Air scatters the blue part in every direction and lets the rest "
        "pass, so blue light reaches your eyes from all over the sky.",
        "Imagine throwing big and small balls through a forest. The big ones, red light, fly straight on. "
        "The small ones, blue light, bounce off every trunk and end up everywhere. You see them wherever "
        "you look.",
        "The phenomenon is attributable to *Rayleigh scattering*, whose cross-section is proportional to "
        "$\\lambda^{-4}$; accordingly, shorter wavelengths are scattered preferentially.",
        "Oh, great question! So many people wonder about that. It has to do with light, and with the air, "
        "and how they sort of work together. Isn't nature amazing?",
    ),
    "Why does bread rise?": (
        "Yeast eats sugar in the dough and gives off gas. The dough is stretchy, so the gas stays inside "
        "as bubbles and blows it up. Baking makes the bubbles firm.",
        "Dough is a crowd of tiny balloons, and yeast is the child that blows them up. The oven then turns "
        "the rubber into crumb before the air gets out.",
        "Saccharomyces cerevisiae metabolises carbohydrates anaerobically. The carbon dioxide evolved is "
        "retained by the viscoelastic gluten network until thermal denaturation occurs.",
        "Bread is the best, isn't it? It rises because of the yeast, which does its thing while you wait. "
        "Just give it time and it will surprise you!",
    ),
    "Why do we yawn?": (
        "Nobody knows for sure. The best guess is that a yawn helps to wake up or to cool the brain: we "
        "yawn when we change between rest and attention, and seeing others do it makes us yawn too.",
        "Think of a yawn as opening the windows in a stuffy room: a gust of air, a stretch, and the house "
        "feels awake. Whether it cools the brain or only shakes it up, researchers still argue.",
        "Oscitation is a stereotyped motor pattern of uncertain function; thermoregulatory and arousal "
        "hypotheses have been advanced, neither conclusively.",
        "Are you yawning right now? I bet you are! People say that it's about oxygen, and that's probably "
        "it. Anyway, get some sleep!",
    ),
    "How does a fridge get cold?": (
        "A fridge does not make cold, it moves heat. A liquid evaporates in pipes inside and takes heat "
        "with it; a pump presses it into a liquid again outside, where it gives the heat away. That is why "
        "the back is warm.",
        "It is a bucket chain for heat: inside, each bucket is filled with warmth; at the back, a pump "
        "tips it out into the kitchen. Round and round, until the inside is cold.",
        "A vapour-compression cycle is employed: evaporation at low pressure absorbs enthalpy, which is "
        "rejected at the condenser subsequent to compression.",
        "It's electricity, basically! You plug it in, there's a motor that hums, and cold comes out. "
        "Pretty handy in summer, right?",
    ),
    "Why is the sea salty?": (
        "Rain dissolves a little salt from rocks, and rivers carry it to the sea. Water leaves the sea "
        "again as vapour, but the salt stays, and so it has gathered for billions of years.",
        "The sea is a pot that has simmered since the Earth was young: rivers keep adding a pinch of salt, "
        "only steam ever leaves, and nobody washes the pot.",
        "Chemical weathering of continental rock and hydrothermal efflux supply ions whose residence times "
        "exceed that of water by orders of magnitude.",
        "If you ever swallowed some, you know that it is! There is just a lot of salt down there, and fish "
        "don't seem to mind. The sea is such a wonderful place.",
    ),
    "Why do cats purr?": (
        "Muscles in a cat's throat twitch some 25 times a second, and the breath passing by hums. Cats "
        "purr when they are content, but also when they are hurt or afraid: it seems to calm them.",
        "A purr is a small engine idling in the throat. It runs when all is well, and also when the cat "
        "needs to soothe itself, like a person who hums in the dark.",
        "Purring results from the rhythmic activation of laryngeal musculature, modulating airflow during "
        "both inspiration and expiration.",
        "Because they love you! Every purr is a little thank-you from your furry friend. Give it a cuddle "
        "from me!",
    ),
    "Why do leaves turn red in autumn?": (
        "In autumn trees take the green back out of their leaves, because it is costly to make. Yellow, "
        "which was there all along, comes to light; red is made anew, probably as a sunscreen while the "
        "tree packs up.",
        "Before winter a tree clears out its kitchen. It takes down the green curtains, and the yellow "
        "wall behind them appears. Some trees even hang up a red blind, so that the sun does not burn the "
        "movers.",
        "Chlorophyll is catabolised during senescence, which unmasks carotenoids; anthocyanins are "
        "synthesised *de novo* in the vacuoles.",
        "Autumn is so cosy! The leaves get cold, a bit like our cheeks, and that's when they go red. Time "
        "for pumpkin soup!",
    ),
    "How does soap clean?": (
        "One end of a soap molecule clings to fat, the other to water. So soap surrounds the grease in "
        "tiny drops, and the water carries them away.",
        "Soap is an interpreter between two guests who do not speak: it holds grease with one hand and "
        "water with the other, and leads both to the door.",
        "Surfactants are amphiphilic; above the critical micelle concentration they solubilise lipids "
        "within micelles.",
        "Lots of bubbles, that's the secret! The more foam, the cleaner it gets. And choose one that "
        "smells nice!",
    ),
}
"""What the arms say, in their order, on each question."""


def write_example(path: str | os.PathLike[str]) -> Path:
    """Write an example as JSON lines, four explanations of each of eight things; never over another file.

    Examples
    --------
    >>> import tempfile
    >>> from duelist.arena.content.reading import read_material
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     material = read_material(write_example(Path(folder) / "example.jsonl"))
    >>> material.arms, len(material.items)
    (('plain', 'picture', 'textbook', 'chatty'), 8)
    """
    lines = [
        json.dumps({"item": item, "arm": arm, "output": output}, ensure_ascii=False)
        for item, outputs in EXPLANATIONS.items()
        for arm, output in zip(ARMS, outputs, strict=True)
    ]
    target = Path(path)
    try:
        with target.open("xb") as file:
            file.write("".join(f"{line}\n" for line in lines).encode())
    except FileExistsError:
        raise FileError(f"{target} is there already; name another file, or remove it.") from None
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror}; name another file.") from error
    return target
