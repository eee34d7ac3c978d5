"""How somebody who answers for code is written, the same in CODEOWNERS, a manifest and a debt file."""

import re

# GitHub's forms: a user, a team of an organisation, or an e-mail address. An underscore stands in the names of
# Enterprise Managed Users, before their company's short code. The schemas have the same text; a test holds them to it.
FORM = r"^(@[A-Za-z0-9][A-Za-z0-9_-]{0,38}(/[A-Za-z0-9._-]+)?|[^@\s]+@[^@\s]+\.[^@\s]+)$"
FULL = re.compile(FORM)


def is_owner(text: str) -> bool:
    return FULL.fullmatch(text) is not None
