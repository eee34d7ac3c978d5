"""
GitHub: which pull request this is, the comment, the step summary. The only room that sees a token.

Nothing in here can change a verdict; what goes wrong is a DeliveryError, and the report stands.
"""
