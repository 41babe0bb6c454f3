"""The answers of the editor server, one module a question: pure functions of a document, a place in it and, where it takes the
verifier, of the last report on it.

To answer another question, write its module here and its row in `server.py`, which alone knows the protocol. Places are offsets
into the document's text (`Span`), so that a test says what it sees. May import the model, the languages, background's
reports, and what `ptxgen explain` knows.
"""
