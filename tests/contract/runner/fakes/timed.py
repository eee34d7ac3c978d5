"""Times every case well."""

from talk import serve

serve()
