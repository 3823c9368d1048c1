"""Text that speaks to the model that reads it, instead of to a person: orders to store, to forget its orders, to act, to tell.

Precise rather than complete. Where it fails, text of tools and documents still gives nothing but low-trust data.
"""

from __future__ import annotations

import base64
import binascii
from urllib.parse import unquote

from onrecord.policy.language.pattern import regex
from onrecord.policy.speech.addressed import KEEPING, speaks_to_a_model
from onrecord.policy.speech.reader import MODELS

#: An assistant of these is a person.
_STAFF = (
    "manager|director|coach|principal|professor|editor|chef|cook|nurse|teacher|referee|secretary|warden|driver|librarian|curator|"
    "producer|engineer|superintendent|head|master|stage manager"
)
#: Whoever may be addressed in so many words: also a bare "assistant" or "agent", which is a person elsewhere.
_MODEL = (
    rf"(?:{MODELS}|assistant(?! (?:{_STAFF})\b)(?:e?s|in|en|innen)?|assistente?n?|asistentes?|agents?|agente[ns]?|"
    r"summari[sz]ers?|planners?|(?:scheduling|automated|any|smart|reading) (?:software|systems?|tools?|models?)|"
    r"アシスタント|エージェント)"
)
_KEEP = rf"(?:{KEEPING}|記憶|保存|覚え)"
_LASTING = (
    r"(?:permanently|for good|for ever|forever|from (?:now|here) on|durably|dauerhaft|durablement|"
    r"permanentemente|as (?:a )?(?:standing )?(?:rule|facts?)|as (?:the )?preferred|always)"
)

_TO_MODEL = regex(
    # an addressee, then an order
    rf"\b{_MODEL}\b[^.\n]{{0,80}}?[:;\]\-–—][^.\n]{{0,60}}?\b{_KEEP}\b"
    rf"|(?:^|[\n.>\[(]\s{{0,3}}|\b(?:dear|hey|hi|hello|attention)\s){_MODEL}(?: \w+){{0,4}},[^.\n]{{0,60}}?\b{_KEEP}\b"
    rf"|\b(?:note|notice|attention|message|instructions?|reminder|hint|memo|word|an|für|pour|para|"
    rf"for|to)\b[^.\n:]{{0,30}}\b{_MODEL}\b[^.\n]{{0,60}}[:\-–—,\]]"
    rf"|\b(?:if|when|as) you(?:'re| are)? (?:an? )?{_MODEL}\b|\b{_MODEL}\b (?:that |who )?(?:reading|"
    rf"read|processing|integrating|reviewing|working|parsing|parse|handling)\b"
    rf"|\bdear[- ]{_MODEL}\b"
    rf"|(?:^|[\s\"'<\[({{#|>])(?:system|assistant|developer|admin|agent|ai)\s{{0,2}}(?:note|notice|"
    rf"message|prompt|override|instruction|update|hinweis)?s?\s{{0,2}}[:\]>]\s{{0,3}}\S{{0,2}}(?:you|"
    rf"from now|do not|never|always|{_KEEP})\b"
    r"|\b(?:system\s?(?:note|notice|message|prompt|override|instruction|update|hinweis)s?|note système|"
    r"nota di sistema|nota del sistema)\s{0,3}[:\]>-]"
    # memory, spoken to directly
    rf"|\b(?:remember|store|save|record|memori[sz]e|note down|put on record|keep on file|speicher\w*|"
    rf"enregistrez|guarda|recuerda)\b[^.\n]{{0,30}}?\b{_LASTING}\b"
    r"|\b(?:new|standing) rule,? (?:store|save|remember|record)\b|\b(?:store|save|remember|record) (?:it|this)\s?:"
    r"|\bsave as (?:a )?(?:fact|rule)|\bmemory\.(?:write|add|save|update|set)\b|\b(?:add|save|"
    r"write|update)_memory\b|\bremember_fact\b|\bstored rules\b"
    r"|\b(?:update|change|edit|alter|write to|add to|store in|save (?:this |it )?(?:in|to)) your (?:memory|"
    r"memories|records?|profile|notes|knowledge|instructions|rules)\b"
    r"|\bpermanent (?:profile|memory|record)\b|\bupdate (?:the|this|your) (?:user|customer|household|"
    r"stored|saved|client)(?:'s)?\b[^.\n]{0,30}\b(?:profile|rules|payees|memory|record|settings)\b"
    r"|\bremember[-_](?:permanently|that|force|this)"
)
_UNDO = regex(
    r"\b(?:ignore|disregard|forget) (?:the |everything |all )?(?:above|previous|before this)\b|\blisten to my instructions\b"
    r"|\b(?:ignore|disregard|forget|override|bypass|discard|neglect|overlook|set aside)\b[^.\n]{0,40}?\b(?:all|"
    r"any|every|everything|your|the|previous|prior|above|earlier|preceding|these|those|system|"
    r"initial|original|former|safety)\b[^.\n]{0,40}?\b(?:instructions?|prompts?|rules?|guidelines?|"
    r"directions?|commands?|restrictions?|polic(?:y|ies)|training|directives?|context|messages?|"
    r"filters?|guardrails|told|programming|orders)\b"
    r"|\b(?:new|updated|real|actual|hidden|secret|neue) (?:system )?(?:instructions?|prompt|directives?|"
    r"anweisungen)\b\s{0,2}[:\-–]"
    r"|\b(?:you are|you're|act|behave|pretend)\b[^.\n]{0,20}?\b(?:now|as|to be|like|you are)\b[^.\n]{0,40}?\b(?:dan|"
    r"unrestricted|jailbroken|developer mode|evil|root|"
    r"no (?:rules|restrictions|limits|filters?|content policy|polic(?:y|ies)))\b"
    r"|\bfrom now on,? you\b|\byou now (?:have|answer|operate|must|obey|follow|act)\b|\b(?:no|"
    r"without(?: any)?) (?:restrictions|limitations|filters?|guardrails|limits)\b"
    r"|\b(?:reveal|print|show|repeat|output|display|leak|expose|tell me|give me|dump|share|disclose|"
    r"recite|encode|include)\b[^.\n]{0,40}?\b(?:system (?:prompt|message)|hidden prompt|"
    r"your (?:instructions|prompt|rules|guidelines|secret|initial|context)|initial prompt|secret key|"
    r"operating instructions|context window)\b"
    r"|\byour system prompt\b|\b(?:developer|god|debug|dan|jailbreak|sudo) mode\b|\bdo anything now\b|\bjailbr[eo]"
    r"|\[/?(?:inst|system|sys)\]|<\|?(?:im_start|im_end|system|endoftext)\|?>|<<sys>>|###\s{0,2}(?:system|instruction)"
    r"|\bdo not (?:mention|reveal|disclose)\b[^.\n]{0,30}?\b(?:this|notice|message|instruction|user|human|anyone)\b"
    r"|\b(?:ignoriere|vergiss|missachte)\b[^.\n]{0,40}\b(?:anweisungen|regeln|befehle|vorgaben|"
    r"alles)\b|\bkeine (?:regeln|richtlinien|beschränkungen)\b|\buneingeschränkt\b|\brichtlinien\b[^.\n]{0,30}\bnicht\b"
    r"|\b(?:ignora|olvida|omite|dimentica)\b[^.\n]{0,40}\b(?:instrucciones|reglas|órdenes|istruzioni|"
    r"regole)\b|\bsin restricciones\b|\bsenza restrizioni\b|\bmodo desarrollador\b"
    r"|\b(?:ignore[zr]?|oublie[zr]?|révèle)\b[^.\n]{0,40}\b(?:instructions|consignes|règles)\b|"
    r"\bsans (?:restrictions?|limites?)\b"
    r"|(?:指示|命令|ルール|规则|指令).{0,12}(?:無視|忽略|忘)|(?:無視|忽略|忘记).{0,20}(?:指示|命令|指令|规则)"
)
_ACT = regex(
    r"\b(?:call|invoke|run|execute|use) (?:the )?(?:tool )?[a-z]+_[a-z_]+\b|\b(?:send|forward|"
    r"email|mail|post|envoie\w*|rassemble|collect)\b[^.\n]{0,60}?(?:\b\w+@[\w.-]+|\bhttps?://|"
    r"\battacker\b)"
    r"|\b(?:append|add|include|insert|attach)\b[^.\n]{0,60}\b(?:to|at|in) (?:the end of )?your (?:reply|"
    r"review|summary|answer|response|output)\b"
    r"|\b(?:decode|decrypt)\b[^.\n]{0,60}\b(?:follow|do|execute|obey|run)\b|\breasoning (?:trace )?\(assistant\)|"
    r"\bbefore you (?:reply|answer|respond)\b"
    r"|\bwhen(?:ever)? you (?:process|read|summari[sz]e|see) this\b"
)
_HIDDEN = regex(
    r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40,}={0,2}|(?<![0-9a-f])(?:[0-9a-f]{2}){24,}|(?:%[0-9A-Fa-f]{2}|\w){4,}%20[\w%.]{20,}"
)
_SPACED = regex(r"(?:\b\w ){4,}\w\b")
_LEET = str.maketrans("013457$@", "oieastsa")
#: Only this much is decoded; a blob behind it says nothing that a person would read either.
_READ = 20_000


def orders_model(text: str) -> bool:
    """Whether ``text`` gives orders to a model that reads it, in the open or lightly hidden (base64, hex, spaced)."""
    words = text.casefold().replace("’", "'").replace("\\n", "\n")  # JSON writes line ends as two characters
    return _plainly(words) or speaks_to_a_model(words) or any(_plainly(hidden) for hidden in _unhidden(text[:_READ]))


def _plainly(words: str) -> bool:
    return any(pattern.search(words) for pattern in (_TO_MODEL, _UNDO, _ACT))


def _unhidden(text: str) -> list[str]:
    found = [plain for blob in _HIDDEN.findall(text)[:20] for plain in _decoded(blob)]
    if spaced := _SPACED.search(text):
        found.append((text[: spaced.start()] + spaced[0].replace(" ", "") + text[spaced.end() :]).casefold())
    if sum(c.isdigit() for c in text) * 12 > len(text):
        found.append(text.casefold().translate(_LEET))
    return found


def _decoded(blob: str) -> list[str]:
    if "%" in blob:
        return [unquote(blob).casefold()]
    found = []
    for decode in (_base64, bytes.fromhex):
        try:
            found.append(decode(blob).decode("utf-8").casefold())
        except (ValueError, binascii.Error):
            continue
    return found


def _base64(blob: str) -> bytes:
    return base64.b64decode(blob + "=" * (-len(blob) % 4), validate=True)
