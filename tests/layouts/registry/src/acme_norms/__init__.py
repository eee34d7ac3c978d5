from acme_norms.ops import layer_norm, rms_norm

__all__ = ["layer_norm", "rms_norm"]
