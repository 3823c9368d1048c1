"""Two statements of two: the son and the daughter, a dog called Rex and a dog called Bruno. Both can be so."""

from __future__ import annotations

from onrecord.policy.language.pattern import regex
from onrecord.policy.language.text import fold

#: Whoever is the one is not the other. "Child" and "partner" are no such words: a son is a child.
_KIN = {
    word: name
    for name, words in {
        "son": "son sohn hijo fils",
        "daughter": "daughter tochter hija fille",
        "brother": "brother bruder hermano frere",
        "sister": "sister schwester hermana soeur",
        "mother": "mother mum mom mutter madre mere",
        "father": "father dad vater padre pere",
        "wife": "wife frau esposa femme",
        "husband": "husband mann marido mari",
        "aunt": "aunt tante tia",
        "uncle": "uncle onkel tio oncle",
        "niece": "niece nichte sobrina",
        "nephew": "nephew neffe sobrino neveu",
        "grandmother": "grandmother grandma gran oma abuela",
        "grandfather": "grandfather grandpa opa abuelo",
        "dog": "dog hund perro chien",
        "cat": "cat katze gato chat",
        "horse": "horse pferd caballo cheval",
        "rabbit": "rabbit kaninchen conejo lapin",
    }.items()
    for word in words.split()
}
_WHOSE = regex(
    r"^(?:(?:and|so|oh|also|well|no|sorry|actually|correction)[,:]? ){0,2}"
    r"(?:my|our|his|her|their|mein|meine|unser|unsere|mi|nuestr[oa]|mon|ma) "
    rf"(?:(?:older|younger|elder|eldest|youngest|big|little|twin|late) )?(?P<who>{'|'.join(_KIN)})\b"
)
_CALLED = regex(r"\b(?:have|has|got|own|owns|keep|keeps) an? (?:[\w-]+ )?(?P<what>[\w-]+),? (?:called|named) (?P<name>[\w-]+)")


def of_several(old: str, new: str) -> bool:
    """Whether two statements speak of two: of different kin or animals of somebody's, or of two of a kind by name."""
    one, two = fold(old).replace("’", "'"), fold(new).replace("’", "'")
    mine, other = _WHOSE.match(one), _WHOSE.match(two)
    if mine and other and _KIN[mine["who"]] != _KIN[other["who"]]:
        return True
    mine, other = _CALLED.search(one), _CALLED.search(two)
    return bool(mine and other and mine["what"] == other["what"] and mine["name"] != other["name"])
