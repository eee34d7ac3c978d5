"""A small transformer that reads a prompt and writes tokens one by one: `python -m acme.model` serves three prompts."""

import torch
from torch import Tensor, nn
from torch.profiler import record_function

from acme import ops

WIDTH, HEADS, VOCABULARY, LAYERS = 768, 12, 4096, 2
PROMPTS = (5, 16, 33)  # tokens
NEW = 4  # tokens written for each prompt


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up = nn.Parameter(torch.randn(WIDTH, 4 * WIDTH) * 0.02)
        self.bias = nn.Parameter(torch.zeros(4 * WIDTH))
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor, kept: list[Tensor]) -> Tensor:
        """`x` is [tokens, WIDTH]; `kept` holds keys and values of the tokens before, and gets those of these."""
        parts = self.qkv(self.before(x)).view(-1, 3, HEADS, WIDTH // HEADS).permute(1, 2, 0, 3)
        query, now = parts[0], parts[1:]
        kept[:] = [torch.cat((*kept, now), dim=2)]
        scores = query @ kept[0][0].transpose(-1, -2)
        weights = ops.softmax(scores, (WIDTH // HEADS) ** -0.5, causal=True)
        x = x + self.out((weights @ kept[0][1]).transpose(0, 1).reshape(-1, WIDTH))
        return x + self.down(ops.linear_gelu(self.between(x), self.up, self.bias))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(VOCABULARY, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))

    def forward(self, ids: Tensor, kept: list[list[Tensor]]) -> Tensor:
        x = ops.rows_of(self.embedding, ids)
        for block, memory in zip(self.blocks, kept, strict=True):
            x = block(x, memory)
        return x[-1] @ self.embedding.T


def serve(model: Model, prompt: Tensor, new: int = NEW) -> list[int]:
    kept: list[list[Tensor]] = [[] for _ in range(LAYERS)]
    with record_function("prefill"):
        written = [model(prompt, kept).argmax()]
    for _ in range(new - 1):
        with record_function("decode"):
            written.append(model(written[-1].reshape(1), kept).argmax())
    return [int(token) for token in written]


def made(device: str = "cpu") -> tuple[Model, list[Tensor]]:
    """The model, and its prompts."""
    torch.manual_seed(0)
    model = Model().eval().to(device)
    return model, [torch.randint(VOCABULARY, (length,), device=device) for length in PROMPTS]


@torch.inference_mode()
def main() -> None:
    model, prompts = made()
    for prompt in prompts:
        print(serve(model, prompt))


if __name__ == "__main__":
    main()
