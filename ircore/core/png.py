"""Encoding PNG files whose bytes depend on the pixels alone.

Targets and renderings are known by the SHA-256 of their files, and compressors differ: zlib and zlib-ng, which Pillow,
Linux distributions and Python for Windows choose among, find other matches from version to version. So the choices are
made here, once: the filter of each row by the usual heuristic, runs of one byte as the only matches, and a block of
Huffman codes for each megabyte. Drawn pictures, which are mostly runs, lose little by that.

Sources: Portable Network Graphics (W3C, 3rd edition), 9.2 and 12.7; RFC 1951 (DEFLATE), 3.2; RFC 1950 (zlib), 2.2.
"""

import heapq
import itertools
import struct
import zlib
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Codes: TypeAlias = npt.NDArray[np.int64]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_STRIP = 1 << 20
"""Bytes of rows that one block takes: bounds the memory that large pictures need."""
_END, _SYMBOLS = 256, 286
"""The symbol that ends a block; how many symbols there are for bytes, the end and lengths."""
_LONGEST_CODE, _LONGEST_SIZE_CODE = 15, 7
"""Bits of a code for a symbol, and of a code for the size of one."""
_SHORTEST_MATCH, _LONGEST_MATCH = 3, 258
_EXTRA = np.array([0] * 8 + [bits for bits in range(1, 6) for _ in range(4)] + [0])
"""Bits that follow each of the symbols for lengths, from 257 on (RFC 1951, 3.2.5)."""
_SHORTEST = np.array([*(_SHORTEST_MATCH + np.concatenate([[0], (1 << _EXTRA[:-2]).cumsum()])), _LONGEST_MATCH])
"""The shortest match of each of these symbols."""
_SIZE_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)
"""The order in which the sizes of the codes for sizes stand (RFC 1951, 3.2.7)."""


def encode(pixels: Bytes) -> bytes:
    """Return a PNG file.

    Args:
        pixels: Height × width × 3, RGB.
    """
    height, width, _ = pixels.shape
    step, blocks, check = max(1, _STRIP // (1 + 3 * width)), [], 1
    for start in range(0, height, step):
        # A row's filter looks at the row above.
        rows = _filtered(pixels[max(0, start - 1) : start + step])[min(start, 1) :].reshape(-1)
        blocks.append(_block(rows, is_last=start + step >= height))
        check = zlib.adler32(rows.tobytes(), check)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = b"".join([b"\x78\x01", *blocks, struct.pack(">I", check)])
    return SIGNATURE + b"".join(chunk(*part) for part in ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")))


def chunk(name: bytes, content: bytes) -> bytes:
    """Return a chunk of a PNG file: length, name, content and check sum."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _filtered(pixels: Bytes) -> Bytes:
    """Return each row after its filter number, by the filter that leaves the smallest differences."""
    height, width, _ = pixels.shape
    left, above, corner = (np.zeros_like(pixels) for _ in range(3))
    left[:, 1:], above[1:], corner[1:, 1:] = pixels[:, :-1], pixels[:-1], pixels[:-1, :-1]
    guesses = ((1, left), (2, above), (4, _paeth(left, above, corner)))
    best = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    # Filter 3, the mean, is left out; of the others the usual heuristic takes the smallest sum (12.7).
    least = _rest(best)
    for number, guess in guesses:
        tried = np.empty((height, 1 + 3 * width), np.uint8)
        tried[:, 0], tried[:, 1:] = number, (pixels - guess).reshape(height, -1)
        rest = _rest(tried)
        better = rest < least
        best[better], least[better] = tried[better], rest[better]
    return best


def _rest(rows: Bytes) -> npt.NDArray[np.int64]:
    """Return the sum of the absolute differences in each row."""
    rest: npt.NDArray[np.int64] = np.minimum(rows[:, 1:], 0 - rows[:, 1:]).sum(axis=1, dtype=np.int64)
    return rest


def _paeth(left: Bytes, above: Bytes, corner: Bytes) -> Bytes:
    """Return, of three neighbours each, the nearest to left + above - corner (Paeth predictor)."""
    to_left, to_above = _apart(above, corner), _apart(left, corner)
    # Only a corner between its neighbours is nearest of the three; else any number no smaller serves as its distance.
    is_between = (left < corner) != (above < corner)
    to_corner = np.where(is_between, _apart(to_left, to_above), np.uint8(255))
    other = np.where(to_above <= to_corner, above, corner)
    return np.where((to_left <= to_above) & (to_left <= to_corner), left, other)


def _apart(some: Bytes, others: Bytes) -> Bytes:
    """Return the distances of numbers; bytes, which processors compare sixteen at a time and more."""
    apart: Bytes = np.maximum(some, others) - np.minimum(some, others)
    return apart


def _block(data: Bytes, is_last: bool) -> bytes:
    """Return a block of Huffman codes that ends with a whole byte."""
    symbols, extra = _tokens(data)
    sizes = _code_sizes(np.bincount(symbols, minlength=_SYMBOLS).tolist(), _LONGEST_CODE)
    codes, bits = _codes(sizes), np.array(sizes)
    values, lengths = codes[symbols], bits[symbols]
    matches = np.flatnonzero(symbols > _END)
    values[matches] |= extra << lengths[matches]
    # Behind a length and its extra bits stands the distance, always 1: a code of one bit, 0.
    lengths[matches] += _EXTRA[symbols[matches] - _END - 1] + 1
    head = [(int(is_last), 1), *_head(sizes)]
    # An empty block without compression starts at the next byte (RFC 1951, 3.2.4): its three bits, and its size.
    tail, rest = ([], b"") if is_last else ([(0, 3)], b"\0\0\xff\xff")
    before, after = (np.array(numbers, np.int64).reshape(-1, 2).T for numbers in (head, tail))
    return _packed(*(np.concatenate(parts) for parts in zip(before, (values, lengths), after, strict=True))) + rest


def _tokens(data: Bytes) -> tuple[npt.NDArray[np.int16], Codes]:
    """Return the symbols of a block, and for each match the number in the extra bits."""
    starts = np.concatenate([[0], np.flatnonzero(data[1:] != data[:-1]) + 1])
    runs = np.diff(starts, append=len(data))
    # A run is its byte, matches of what follows it, and a rest too short for a match: bytes again.
    long = runs > _SHORTEST_MATCH
    after, firsts = runs[long] - 1, starts[long] + 1
    whole, rest = after // _LONGEST_MATCH, after % _LONGEST_MATCH
    has_short = rest >= _SHORTEST_MATCH
    counts = whole + has_short
    matches = np.repeat(firsts, counts)
    step = np.arange(len(matches)) - np.repeat(counts.cumsum() - counts, counts)
    matches += step * _LONGEST_MATCH
    is_short = step == np.repeat(whole, counts)
    sizes = np.where(is_short, np.repeat(rest, counts), _LONGEST_MATCH)
    lengths = np.searchsorted(_SHORTEST, sizes, side="right") - 1
    # A match stands where its first byte is, and takes the place of all its bytes.
    symbols = np.append(data.astype(np.int16), np.int16(_END))
    symbols[matches] = _END + 1 + lengths
    covers = np.zeros(len(data) + 1, np.int8)
    covers[firsts], covers[firsts + np.where(has_short, after, after - rest)] = 1, -1
    is_token = covers.cumsum(dtype=np.int8) == 0
    is_token[matches] = True
    return symbols[is_token], sizes - _SHORTEST[lengths]


def _code_sizes(counts: list[int], most: int) -> list[int]:
    """Return the bits of each symbol's Huffman code; 0 for a symbol that does not occur.

    Codes that come out too long are shortened by making rare symbols less rare.
    """
    while True:
        number = itertools.count()
        heap: list[tuple[int, int, tuple[int, ...]]] = [
            (count, next(number), (symbol,)) for symbol, count in enumerate(counts) if count
        ]
        sizes = [int(len(heap) == 1 and bool(count)) for count in counts]
        heapq.heapify(heap)
        while len(heap) > 1:
            (first, _, symbols), (second, _, more) = heapq.heappop(heap), heapq.heappop(heap)
            for symbol in (*symbols, *more):
                sizes[symbol] += 1
            heapq.heappush(heap, (first + second, next(number), (*symbols, *more)))
        if max(sizes) <= most:
            return sizes
        # Halved counts lie closer together, so the tree gets flatter with each round.
        counts = [count and count // 2 + 1 for count in counts]


def _codes(sizes: list[int]) -> Codes:
    """Return the code of each symbol, with the first bit lowest (RFC 1951, 3.2.2)."""
    codes, code = np.zeros(len(sizes), np.int64), 0
    for size in range(1, max(sizes) + 1):
        code <<= 1
        for symbol, own in enumerate(sizes):
            if own == size:
                codes[symbol] = int(f"{code:0{size}b}"[::-1], 2)
                code += 1
    return codes


def _head(sizes: list[int]) -> list[tuple[int, int]]:
    """Return the head of a block with dynamic codes, as numbers with the bits of each (RFC 1951, 3.2.7)."""
    written = [*sizes, 1]
    codes_of_sizes = _code_sizes(np.bincount(written, minlength=len(_SIZE_ORDER)).tolist(), _LONGEST_SIZE_CODE)
    codes = _codes(codes_of_sizes).tolist()
    return [
        *((2, 2), (len(sizes) - 257, 5), (0, 5), (len(_SIZE_ORDER) - 4, 4)),
        *((codes_of_sizes[size], 3) for size in _SIZE_ORDER),
        *((codes[size], codes_of_sizes[size]) for size in written),
    ]


def _packed(values: Codes, sizes: Codes) -> bytes:
    """Return numbers of 1 to 31 bits each as bytes, the lowest bit first."""
    ends = sizes.cumsum()
    at = ends - sizes
    words = at >> 5
    # In every word of 32 bits some number starts. Numbers have no bit in common, so that adding joins them; what
    # starts in a word takes less than 63 bits, so that a running total may overflow: differences are right.
    totals = np.diff((values << (at & 31)).cumsum()[np.flatnonzero(np.diff(words, append=-1))], prepend=0)
    packed = np.append(totals & 0xFFFFFFFF, 0)
    packed[1:] |= totals >> 32
    return packed.astype("<u4").tobytes()[: int(ends[-1] + 7) // 8]
