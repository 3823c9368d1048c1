"""Language models behind HTTP: servers of OpenAI's protocol, Anthropic, Google."""

from onrecord.providers.chat.anthropic import ANTHROPIC_URL, AnthropicChat
from onrecord.providers.chat.google import GOOGLE_URL, GoogleChat
from onrecord.providers.chat.openai import OLLAMA_CHAT_URL, OPENAI_CHAT_URL, OpenAiChat

__all__ = [
    "ANTHROPIC_URL",
    "GOOGLE_URL",
    "OLLAMA_CHAT_URL",
    "OPENAI_CHAT_URL",
    "AnthropicChat",
    "GoogleChat",
    "OpenAiChat",
]
