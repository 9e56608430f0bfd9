"""The keyword network in PyTorch, and its way into an ONNX file.

Owns: the architecture (a small stack of depthwise-separable convolutions over time without padding, so that a stream and a
whole clip give the same outputs) and the export with batch normalisation folded into the weights. Does not own training.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from models.runtime import keyword, mel

WIDTH = 112
_STEM = 64
_DILATIONS = (1, 1, 2, 2)
_HIDDEN = 64


class Separable(nn.Module):
    """Depthwise convolution of five taps, then a pointwise one; adds its input, cropped, where the shapes allow."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1, dilation: int = 1) -> None:
        super().__init__()
        self.depth = nn.Conv1d(inputs, inputs, 5, stride, dilation=dilation, groups=inputs, bias=False)
        self.depth_norm = nn.BatchNorm1d(inputs)
        self.point = nn.Conv1d(inputs, outputs, 1, bias=False)
        self.point_norm = nn.BatchNorm1d(outputs)
        self.crop = 2 * dilation if stride == 1 and inputs == outputs else 0

    def forward(self, x: Tensor) -> Tensor:
        """(batch, inputs, time) -> (batch, outputs, (time - 4 dilation) / stride)."""
        y = self.point_norm(self.point(self.depth_norm(self.depth(x))))
        return torch.relu(y + x[..., self.crop : -self.crop] if self.crop else y)


class KeywordNet(nn.Module):
    """Features (batch, frames, 40) -> logits (batch, words, outputs), `keyword.outputs_of(frames)` outputs a word."""

    def __init__(self, words: int = 1, width: int = WIDTH) -> None:
        super().__init__()
        self.stem = nn.Conv1d(mel.BANDS, _STEM, 5, 2, bias=False)
        self.stem_norm = nn.BatchNorm1d(_STEM)
        blocks = [Separable(_STEM, width, stride=2)]
        blocks += [Separable(width, width, dilation=dilation) for dilation in _DILATIONS]
        self.blocks = nn.ModuleList(blocks)
        self.drop = nn.Dropout(0.1)
        self.hidden = nn.Conv1d(width, _HIDDEN, 1)
        self.out = nn.Conv1d(_HIDDEN, words, 1)

    def forward(self, features: Tensor) -> Tensor:
        """(batch, frames, 40) -> (batch, words, outputs)."""
        x = torch.relu(self.stem_norm(self.stem(features.transpose(1, 2))))
        for block in self.blocks:
            x = block(x)
        return self.out(torch.relu(self.hidden(self.drop(x))))


def load(paths: list[Path], words: int) -> KeywordNet:
    """A network with the weights of exported ones, all of which share the layers below the last: word i is that of file i.

    The files' batch normalisation is folded into their weights, so the network's own does nothing; keep it in evaluation. Words
    past the files' get weights drawn at random. The network is as wide as the files'.

    Raises:
        ValueError: A file was not written by `export`.
    """
    stored: list[list[Tensor]] = []
    for path in paths:
        graph = onnx.load(str(path)).graph
        arrays = [numpy_helper.to_array(item) for item in graph.initializer]
        stored.append([torch.from_numpy(array.astype(np.float32)) for array in arrays if array.dtype == np.float16])
    shared = stored[0]
    net = KeywordNet(words, int(shared[4].shape[0]))
    layers: list[tuple[nn.Conv1d, nn.BatchNorm1d | None]] = [(net.stem, net.stem_norm)]
    for module in net.blocks:
        assert isinstance(module, Separable)
        layers += [(module.depth, module.depth_norm), (module.point, module.point_norm)]
    layers.append((net.hidden, None))
    if len(shared) != 2 * len(layers) + 2:
        raise ValueError(
            f"{paths[0]} holds {len(shared)} weights where {2 * len(layers) + 2} are expected; export it again"
        )
    with torch.no_grad():
        for (layer, norm), weight, bias in zip(layers, shared[:-2:2], shared[1:-2:2], strict=True):
            layer.weight.copy_(weight)
            if norm is None:
                assert layer.bias is not None
                layer.bias.copy_(bias)
            else:
                assert norm.running_var is not None
                norm.running_var.fill_(1.0 - norm.eps)
                norm.bias.copy_(bias)
        assert net.out.bias is not None
        for index, arrays in enumerate(stored):
            net.out.weight[index] = arrays[-2][0]
            net.out.bias[index] = arrays[-1][0]
    return net


def parameters(net: nn.Module) -> int:
    """Number of weights."""
    return sum(weight.numel() for weight in net.parameters())


def export(net: KeywordNet, path: Path, metadata: dict[str, str], word: int = 0) -> None:
    """Write `net` with one of its words as ONNX: input "features" (1, frames, 40), output "scores" (1, outputs) after the sigmoid.

    Weights are stored as 16-bit floats and widened by the graph's first nodes, which ONNX Runtime does once, when loading.
    """
    graph = _Graph()
    x = graph.add("Transpose", ["features"], perm=[0, 2, 1])
    x = graph.add("Relu", [graph.convolution(x, net.stem, net.stem_norm)])
    for module in net.blocks:
        assert isinstance(module, Separable)
        y = graph.convolution(x, module.depth, module.depth_norm)
        y = graph.convolution(y, module.point, module.point_norm)
        if module.crop:
            y = graph.add("Add", [y, graph.cropped(x, module.crop)])
        x = graph.add("Relu", [y])
    x = graph.add("Relu", [graph.convolution(x, net.hidden, None)])
    x = graph.add("Sigmoid", [graph.convolution(x, net.out, None, word)])
    squeezed = graph.add("Squeeze", [x, graph.constant(np.asarray([1], np.int64))])
    graph.nodes[-1].output[0] = "scores"
    assert squeezed != "scores"
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "keyword",
            [helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, "frames", mel.BANDS])],
            [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, "outputs"])],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="glovebox",
    )
    helper.set_model_props(model, {"front_end": mel.FRONT_END, "field": str(keyword.FIELD), **metadata})
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))


class _Graph:
    """Nodes and weights under construction."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def add(self, kind: str, inputs: list[str], **attributes: int | list[int]) -> str:
        name = f"v{len(self.nodes)}"
        node = helper.make_node(kind, inputs, [name])
        node.attribute.extend(helper.make_attribute(key, value) for key, value in sorted(attributes.items()))
        self.nodes.append(node)
        return name

    def constant(self, values: NDArray[np.float16] | NDArray[np.int64]) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def floats(self, values: Tensor) -> str:
        """Weights kept as 16-bit floats, widened to 32."""
        return self.add("Cast", [self.constant(values.numpy().astype(np.float16))], to=int(TensorProto.FLOAT))

    def convolution(self, x: str, layer: nn.Conv1d, norm: nn.BatchNorm1d | None, row: int | None = None) -> str:
        """`layer`, or its one output `row`, with `norm` (as in evaluation) folded into its weights."""
        weight = layer.weight.detach()
        bias = layer.bias.detach() if layer.bias is not None else torch.zeros(layer.out_channels)
        if norm is not None:
            assert norm.running_var is not None
            assert norm.running_mean is not None
            scale = norm.weight.detach() / torch.sqrt(norm.running_var + norm.eps)
            weight = weight * scale[:, None, None]
            bias = (bias - norm.running_mean) * scale + norm.bias.detach()
        if row is not None:
            weight, bias = weight[row : row + 1], bias[row : row + 1]
        return self.add(
            "Conv",
            [x, self.floats(weight), self.floats(bias)],
            strides=list(layer.stride),
            dilations=list(layer.dilation),
            group=layer.groups,
        )

    def cropped(self, x: str, crop: int) -> str:
        """`x` without `crop` steps at both ends of time."""
        return self.add("Slice", [x, *(self.constant(np.asarray([value], np.int64)) for value in (crop, -crop, 2))])
