"""Days on which an exception ends, as a manifest writes them."""

from datetime import date


def passed(day: str, today: date) -> bool:
    """Whether `day` (YYYY-MM-DD, the last one that counts) is over; what is no date is."""
    try:
        return date.fromisoformat(day) < today
    except ValueError:
        return True
