"""The contrast of two colours by WCAG 2, for tests of figures and of the style sheet."""


def channels(colour: str) -> list[float]:
    return [int(colour[place : place + 2], 16) / 255.0 for place in range(1, len(colour), 2)]


def over(colour: str, ground: str) -> str:
    """Return the visible colour of a possibly translucent colour on a background."""
    *parts, opacity = [*channels(colour), 1.0][:4]
    mixed = [
        opacity * one + (1.0 - opacity) * other for one, other in zip(parts, channels(ground), strict=True)
    ]
    return "#" + "".join(f"{round(255.0 * one):02x}" for one in mixed)


def luminance(colour: str) -> float:
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels(colour)]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
