"""Arrays, textures and tensor maps."""

from enum import IntEnum, IntFlag


class CUarray_format(IntEnum):
    """``CU_AD_FORMAT_...``"""

    UNSIGNED_INT8 = 1
    UNSIGNED_INT16 = 2
    UNSIGNED_INT32 = 3
    SIGNED_INT8 = 8
    SIGNED_INT16 = 9
    SIGNED_INT32 = 10
    HALF = 16
    FLOAT = 32
    UNORM_INT_101010_2 = 80
    UINT8_PACKED_422 = 81
    UINT8_PACKED_444 = 82
    UINT8_SEMIPLANAR_420 = 83
    UINT16_SEMIPLANAR_420 = 84
    UINT8_SEMIPLANAR_422 = 85
    UINT16_SEMIPLANAR_422 = 86
    UINT8_SEMIPLANAR_444 = 87
    UINT16_SEMIPLANAR_444 = 88
    UINT8_PLANAR_420 = 89
    UINT16_PLANAR_420 = 90
    UINT8_PLANAR_422 = 91
    UINT16_PLANAR_422 = 92
    UINT8_PLANAR_444 = 93
    UINT16_PLANAR_444 = 94
    BC1_UNORM = 145
    BC1_UNORM_SRGB = 146
    BC2_UNORM = 147
    BC2_UNORM_SRGB = 148
    BC3_UNORM = 149
    BC3_UNORM_SRGB = 150
    BC4_UNORM = 151
    BC4_SNORM = 152
    BC5_UNORM = 153
    BC5_SNORM = 154
    BC6H_UF16 = 155
    BC6H_SF16 = 156
    BC7_UNORM = 157
    BC7_UNORM_SRGB = 158
    P010 = 159
    P016 = 161
    NV16 = 162
    P210 = 163
    P216 = 164
    YUY2 = 165
    Y210 = 166
    Y216 = 167
    AYUV = 168
    Y410 = 169
    NV12 = 176
    Y416 = 177
    Y444_PLANAR8 = 178
    Y444_PLANAR10 = 179
    YUV444_8bit_SemiPlanar = 180
    YUV444_16bit_SemiPlanar = 181
    UNORM_INT8X1 = 192
    UNORM_INT8X2 = 193
    UNORM_INT8X4 = 194
    UNORM_INT16X1 = 195
    UNORM_INT16X2 = 196
    UNORM_INT16X4 = 197
    SNORM_INT8X1 = 198
    SNORM_INT8X2 = 199
    SNORM_INT8X4 = 200
    SNORM_INT16X1 = 201
    SNORM_INT16X2 = 202
    SNORM_INT16X4 = 203
    MAX = 0x7FFFFFFF


class CUtensorMapDataType(IntEnum):
    """``CU_TENSOR_MAP_DATA_TYPE_...``"""

    UINT8 = 0
    UINT16 = 1
    UINT32 = 2
    INT32 = 3
    UINT64 = 4
    INT64 = 5
    FLOAT16 = 6
    FLOAT32 = 7
    FLOAT64 = 8
    BFLOAT16 = 9
    FLOAT32_FTZ = 10
    TFLOAT32 = 11
    TFLOAT32_FTZ = 12
    TYPE_16U4_ALIGN8B = 13
    TYPE_16U4_ALIGN16B = 14
    TYPE_16U6_ALIGN16B = 15


class CUtensorMapInterleave(IntEnum):
    """``CU_TENSOR_MAP_INTERLEAVE_...``"""

    NONE = 0
    INTERLEAVE_16B = 1
    INTERLEAVE_32B = 2


class CUtensorMapSwizzle(IntEnum):
    """``CU_TENSOR_MAP_SWIZZLE_...``"""

    NONE = 0
    SWIZZLE_32B = 1
    SWIZZLE_64B = 2
    SWIZZLE_128B = 3
    SWIZZLE_128B_ATOM_32B = 4
    SWIZZLE_128B_ATOM_32B_FLIP_8B = 5
    SWIZZLE_128B_ATOM_64B = 6


class CUtensorMapL2promotion(IntEnum):
    """``CU_TENSOR_MAP_L2_PROMOTION_...``"""

    NONE = 0
    L2_64B = 1
    L2_128B = 2
    L2_256B = 3


class CUtensorMapFloatOOBfill(IntEnum):
    """``CU_TENSOR_MAP_FLOAT_OOB_FILL_...``"""

    NONE = 0
    NAN_REQUEST_ZERO_FMA = 1


class CUtensorMapIm2ColWideMode(IntEnum):
    """``CU_TENSOR_MAP_IM2COL_WIDE_MODE_...``"""

    W = 0
    W128 = 1


class CUDA_ARRAY3D_flags(IntFlag):
    """``CUDA_ARRAY3D_...``"""

    LAYERED = 1
    SURFACE_LDST = 2
    CUBEMAP = 4
    TEXTURE_GATHER = 8
    DEPTH_TEXTURE = 0x10
    COLOR_ATTACHMENT = 0x20
    SPARSE = 0x40
    DEFERRED_MAPPING = 0x80
    VIDEO_ENCODE_DECODE = 0x100


class CUresourcetype(IntEnum):
    """``CU_RESOURCE_TYPE_...``"""

    ARRAY = 0
    MIPMAPPED_ARRAY = 1
    LINEAR = 2
    PITCH2D = 3


class CUaddress_mode(IntEnum):
    """``CU_TR_ADDRESS_MODE_...``"""

    WRAP = 0
    CLAMP = 1
    MIRROR = 2
    BORDER = 3


class CUfilter_mode(IntEnum):
    """``CU_TR_FILTER_MODE_...``"""

    POINT = 0
    LINEAR = 1


class CUtexture_flags(IntFlag):
    """``CU_TRSF_...``"""

    READ_AS_INTEGER = 1
    NORMALIZED_COORDINATES = 2
    SRGB = 0x10
    DISABLE_TRILINEAR_OPTIMIZATION = 0x20
    SEAMLESS_CUBEMAP = 0x40
