"""Programs that run in the environment of a peer: nothing but the standard library, that peer, and ``wire`` beside them."""
