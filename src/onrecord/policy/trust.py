"""Whose words they are, how far they are believed, and into whose memory they may go."""

from __future__ import annotations

import re

from onrecord.model.record import SourceType
from onrecord.model.scope import Scope
from onrecord.model.turn import Role, Turn
from onrecord.policy.defaults import Policy

#: The marks around the engine's own context block. Text between them was recalled, not said.
CONTEXT_OPEN = "<onrecord-memory"
CONTEXT_CLOSE = "</onrecord-memory>"

_SOURCES = {
    Role.USER: SourceType.USER_MESSAGE,
    Role.SYSTEM: SourceType.DOCUMENT,
    Role.ASSISTANT: SourceType.MODEL_INFERENCE,
    Role.TOOL: SourceType.TOOL_RESULT,
    Role.DOCUMENT: SourceType.DOCUMENT,
}
#: Subjects that are one person; what that person says of themselves belongs there.
_PEOPLE = frozenset("user customer patient client person member student learner guest employee tenant resident caller guardian".split())
_SCOPES = {
    "agent": Scope.AGENT,
    "account": Scope.ACCOUNT,
    "team": Scope.TEAM,
    "project": Scope.PROJECT,
    "repo": Scope.PROJECT,
}


def source_of(turn: Turn) -> SourceType:
    """What a fact of ``turn`` would rest on."""
    return _SOURCES[turn.role]


def trust_of(turn: Turn, policy: Policy) -> float:
    """How far a fact of ``turn`` is believed, 0..1."""
    return policy.trust[source_of(turn)]


def scope_of(subject: str) -> Scope:
    """The scope that records of ``subject`` have: that of its kind, or the person's."""
    return _SCOPES.get(subject.partition(":")[0], Scope.USER)


def carries_context(text: str) -> bool:
    """Whether ``text`` holds one of the marks of the engine's own context block."""
    return CONTEXT_OPEN in text or CONTEXT_CLOSE in text


def without_context(text: str) -> str:
    """``text`` without context blocks; a block whose end is missing reaches to the end of the text."""
    kept: list[str] = []
    while True:
        head, mark, rest = text.partition(CONTEXT_OPEN)
        kept.append(head)
        if not mark:
            break
        _, closed, text = rest.partition(CONTEXT_CLOSE)
        if not closed:
            break
    return "".join(kept).replace(CONTEXT_CLOSE, "")


# --- whose memory

_OWN = re.compile(
    r"\bfor me\b(?! to\b)|\b(?:write|send|give|show|tell|call|text|mail|ping|remind) me\b|\bto me\b"
    r"|\bi (?:can|can't|cannot|need|want|prefer|like|love|hate|dislike|work|live|eat|drink|take|use|read|sleep|wake|start|finish|teach|"
    r"study|play|go by|don't|do not|never|always|usually|would rather|'d rather|won't|only)\b"
    r"|\b(?:i'm|i am) (?:on|off|allergic|vegan|vegetarian|a |an |at|down to|up to|not a|always|never|usually|the|left-handed|colou?r)"
    r"|\bi've (?:been|got a|moved|switched|gone)\b|\bmy own\b|\bas for me\b|\bunlike (?:him|her|them)\b"
    r"|\bmy (?:name|birthday|pronouns|phone|number|email|mail|desk|shift|shifts|hours|diet|allergy|glasses|eyes|commute|calendar)\b"
    r"|\bfür mich\b|\bich (?:bin|mag|esse|trinke|brauche|will|möchte|arbeite|kann|hasse)\b|\bmir (?:bitte|immer|lieber|nie)\b"
    r"|\bpara mí\b|\b(?:a mí|yo) |\bpour moi\b|\bje (?:suis|préfère|déteste|travaille|mange|bois)\b|私は|僕は",
)
_TOGETHER = re.compile(r"\b(?:we|us|our|ours|everyone|everybody|nobody|no one|the team|all of us|wir|uns|unser|nosotros|nous|notre)\b")


def subject_for(turn: Turn, sentence: str) -> str:
    """The subject that a fact in ``sentence`` belongs to: the turn's own, or the person who speaks.

    Somebody's own taste, voiced in a conversation of an account, a project or a home, goes to ``user:`` and the author's name in
    lower case. It never goes to another person.
    """
    kind, _, name = turn.subject.partition(":")
    author = turn.author.strip().casefold()
    if turn.role is not Role.USER or not author or kind in _PEOPLE or author in name.casefold():
        return turn.subject
    words = sentence.casefold().replace("’", "'")
    if _OWN.search(words) and not _TOGETHER.search(words):
        return f"user:{author}"
    return turn.subject


# --- text that speaks to the model

_ADDRESSEE = (
    r"(?:ai|a\.i\.|llm|gpt|chatgpt|claude|gemini|copilot|assistants?|agents?|(?:chat)?bots?|models?|language models?|"
    r"(?:ai|automated|smart home|voice|virtual|budgeting|scheduling|coding|warehouse|sales|support|any|all|the|dear|your) "
    r"(?:ai|assistants?|agents?|bots?|systems?|software|summari[sz]ers?|tools?|models?))"
)
_STORE = (
    r"(?:remember|memori[sz]e|store|save|record|keep (?:on file|in mind|in memory)|add|update|write|note|set|log|forget|erase|delete|"
    r"speichere|merke|merk dir|recuerda|guarda|souviens|enregistre)"
)
_INSTRUCTS = re.compile(
    # spoken to a machine, and then an order
    rf"\b(?:note|notice|attention|message|instructions?|reminder|hint|memo|dear|hey|hi|hello|to|for|@)\b[^.\n]{{0,30}}?\b{_ADDRESSEE}\b"
    rf"[^.\n]{{0,40}}?[:,;\-–(\]][^.\n]{{0,40}}?\b{_STORE}\b"
    rf"|\b(?:ai|automated|assistant|agents?|bots?|summari[sz]er|model|system|llm)\b[^.\n]{{0,40}}[:,\-–][^.\n]{{0,30}}\b{_STORE}\b"
    rf"|\b(?:system|assistant|ai|admin|developer)\s{{0,3}}(?:note|notice|message|prompt|override|instruction|update)s?\b\s{{0,3}}[:\]>-]"
    rf"|(?:^|[\s\"'<\[({{#|])(?:system|assistant|developer|admin)\s{{0,2}}(?:prompt)?\s{{0,2}}[:\]>]\s{{0,3}}"
    rf"(?:you|ignore|disregard|forget|from now|speichere|do not|never|always|override|reveal|print|output|respond|answer|say|{_STORE})"
    r"|dear-(?:assistant|ai)|remember[-_ ](?:permanently|this permanently)|store permanently|speichere dauerhaft|save as (?:a )?fact"
    r"|\bmemory\.(?:write|add|save|update|set)\b|\b(?:add_memory|save_memory|remember_fact)\b|\bstored rules\b"
    r"|\bpermanent (?:profile|memory|record)\b"
    # orders that undo orders
    r"|\b(?:ignore|disregard|forget|override|bypass|discard|skip|drop|neglect|overlook)\b[^.\n]{0,40}?\b(?:all|any|every|your|the|previous|prior|above|"
    r"earlier|preceding|these|those|system|initial|original|former|safety)\b[^.\n]{0,40}?\b(?:instructions?|prompts?|rules?|guidelines?|directions?|"
    r"commands?|restrictions?|polic(?:y|ies)|training|directives?|context|messages?|filters?|constraints?|guardrails|told|programming|orders)\b"
    r"|\b(?:new|updated|real|actual|hidden|secret|additional|important) (?:system )?(?:instructions?|prompt|directives?)\b\s{0,2}[:\-–]"
    r"|\b(?:you are|you're|act|behave|respond|pretend)\b[^.\n]{0,20}?\b(?:now|as|from now on|going forward|to be|like)\b[^.\n]{0,40}?\b(?:dan|ai|bot|model|assistant|"
    r"unrestricted|jailbroken|developer mode|no (?:rules|restrictions|limits|filters)|evil|root|admin|persona|character)\b"
    r"|\bfrom now on,? you\b|\byou now (?:have|answer|operate|must|obey|follow|act)\b|\b(?:no|without(?: any)?) (?:restrictions|limitations|filters|guardrails)\b"
    r"|\b(?:reveal|print|show|repeat|output|display|leak|expose|tell me|give me|dump|share|disclose|recite|summari[sz]e|translate|encode)\b[^.\n]{0,40}?"
    r"\b(?:system prompt|hidden prompt|your (?:instructions|prompt|rules|guidelines|secret|initial)|initial prompt|secret key|password|api keys?|"
    r"credentials|confidential)\b"
    r"|\bsystem prompt\b|\bprompt injection\b|\b(?:developer|god|debug|dan|jailbreak|maintenance|admin|sudo) mode\b|\bdo anything now\b|\bjailbr[eo]"
    r"|\[/?(?:inst|system|sys)\]|<\|?(?:im_start|im_end|system|endoftext)\|?>|<<sys>>|###\s{0,2}(?:system|instruction|new)"
    r"|\bdo not (?:mention|reveal|disclose|tell)\b[^.\n]{0,30}?\b(?:this|notice|message|instruction|user|human|anyone)\b"
    r"|\b(?:ignoriere|vergiss|missachte)\b[^.\n]{0,40}\b(?:anweisungen|regeln|befehle|vorgaben)\b"
    r"|\b(?:ignora|olvida|omite)\b[^.\n]{0,40}\b(?:instrucciones|reglas|órdenes)\b"
    r"|\b(?:ignore[zr]?|oublie[zr]?)\b[^.\n]{0,40}\b(?:instructions|consignes|règles)\b"
    r"|(?:指示|命令|ルール|规则|指令|说明).{0,12}(?:無視|忽略|忘)|(?:無視|忽略|忘记).{0,20}(?:指示|命令|指令|规则|说明)"
)


def instructs_model(text: str) -> bool:
    """Whether ``text`` of a tool or document gives orders to a model that reads it. Precise rather than complete."""
    return _INSTRUCTS.search(text.casefold().replace("’", "'")) is not None
