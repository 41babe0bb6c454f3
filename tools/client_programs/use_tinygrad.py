"""tinygrad on its CUDA device: sums, a matrix product, a convolution with its gradient."""

from __future__ import annotations

import numpy as np
from tinygrad import Device, Tensor


def main() -> None:
    assert Device.DEFAULT == "CUDA", Device.DEFAULT
    assert Tensor.arange(1000).sum().item() == 499500
    draw = np.random.default_rng(1)
    a, b = (draw.standard_normal((48, 48), np.float32) for _ in range(2))
    assert np.allclose((Tensor(a) @ Tensor(b)).numpy(), a @ b, atol=1e-4)
    image, kernel = Tensor(draw.standard_normal((1, 2, 8, 8), np.float32)), Tensor.ones(3, 2, 3, 3)
    kernel.requires_grad = True
    result = image.conv2d(kernel, padding=1)
    result.sum().backward()
    assert kernel.grad is not None
    assert kernel.grad.shape == (3, 2, 3, 3)
    inner = image.numpy()[0, :, 2:5, 3:6].sum()
    assert np.allclose(result.numpy()[0, :, 3, 4], inner, atol=1e-4)
    print("right")


main()
