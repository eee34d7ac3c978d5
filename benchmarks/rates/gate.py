"""kgate's rule on many runs at once: the product's own, with which `kgate calibrate` predicts as well."""

from kgate.replay import CONFIRMING, LOOKS, NO_SLOWER, OPEN, SLOWER, Judged, history, judged

__all__ = ["CONFIRMING", "LOOKS", "NO_SLOWER", "OPEN", "SLOWER", "Judged", "history", "judged"]
