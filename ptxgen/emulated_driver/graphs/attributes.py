"""Attributes of kernel nodes: what launch attributes say, which the parameters of a node do not hold."""

from __future__ import annotations

from driver_ctypes.abi import enums
from driver_ctypes.abi.structs import CUlaunchAttributeValue
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.graphs.params import work_in
from ptxgen.emulated_driver.launch.attributes import DEFAULTS, KEPT, checked
from ptxgen.emulated_driver.launch.kernels import Launch
from ptxgen.emulated_driver.launch.shapes import check
from ptxgen.emulated_driver.pointers import copy_struct, put_struct

A = enums.CUlaunchAttributeID


@entry("cuGraphKernelNodeGetAttribute", needs=INIT)
def kernel_node_get_attribute(handle: int | None, attribute: int, out: int | None) -> None:
    node, work = work_in(handle, Launch)
    value = CUlaunchAttributeValue()
    if attribute == A.CLUSTER_DIMENSION:
        value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = work.shape.cluster
    elif attribute == A.COOPERATIVE:
        value.cooperative = int(work.shape.cooperative)
    elif attribute in node.attributes:
        value = CUlaunchAttributeValue.from_buffer_copy(node.attributes[attribute])
    elif attribute in KEPT:
        value = CUlaunchAttributeValue.from_buffer_copy(DEFAULTS.get(A(attribute), 0).to_bytes(64, "little"))
    else:
        raise invalid_value(f"attribute {attribute} is not a kernel node attribute")
    put_struct(out, value)


@entry("cuGraphKernelNodeSetAttribute", needs=INIT)
def kernel_node_set_attribute(handle: int | None, attribute: int, value: int | None) -> None:
    node, work = work_in(handle, Launch)
    wanted, shape = copy_struct(CUlaunchAttributeValue, value), work.shape
    if attribute == A.CLUSTER_DIMENSION:
        shape = shape._replace(cluster=(wanted.clusterDim.x, wanted.clusterDim.y, wanted.clusterDim.z))
    elif attribute == A.COOPERATIVE:
        shape = shape._replace(cooperative=wanted.cooperative != 0)
    elif attribute == A.NVLINK_UTIL_CENTRIC_SCHEDULING:
        return  # taken, and not reported again
    elif attribute in KEPT:
        node.attributes[attribute] = bytes(checked(attribute, wanted))
        return
    else:
        raise invalid_value(f"attribute {attribute} is not a kernel node attribute")
    check(work.function, shape)
    node.work = Launch(work.function, shape, work.arguments)


@entry("cuGraphKernelNodeCopyAttributes", needs=INIT)
def kernel_node_copy_attributes(target: int | None, source: int | None) -> None:
    (to, work), (origin, model) = work_in(target, Launch), work_in(source, Launch)
    if A.DEVICE_UPDATABLE_KERNEL_NODE in (*to.attributes, *origin.attributes):
        raise Refusal(
            enums.CUresult.ERROR_NOT_SUPPORTED, "attributes of nodes that the device updates cannot be copied"
        )
    shape = work.shape._replace(cluster=model.shape.cluster, cooperative=model.shape.cooperative)
    check(work.function, shape)
    to.work = Launch(work.function, shape, work.arguments)
    to.attributes = dict(origin.attributes)
