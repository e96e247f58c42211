"""table.py WORDS FREQUENCIES SENTENCES WORD_VECTORS SENTENCE_VECTORS FASTTEXT OUT: the table of word vectors.

A word's row has two parts, weighed alike: what makes the sum of a sentence's rows equal to the teacher's vector of the
sentence (ridge regression towards the teacher's vector of the word alone), and fastText's vector of the word. Both are
cut to DIMENSIONS numbers by principal components and turned, and a frequent word's row is made short (SIF), so that the vector of
a text is the plain sum of its words' rows.

OUT is what internal/recall/meaning reads: see table.go there.
"""
import json
import re
import struct
import sys
import zlib

import numpy as np
import scipy.linalg
import scipy.sparse as sparse

DIMENSIONS = 128
TEACHER = 512
COMPONENTS = 192  # of the teacher's vectors
ROUNDS = 30
PRIOR = 1.0  # weight of a word's own vector
SIF = 1e-3
LEVELS = 127
STOP = set("""a an the of to in on for and or is are was were be been being did do does done have has had i my me we you
your our us it its this that these those with at by from as about what which who whom whose when where why how can could
would should will shall may might must there their they them he she his her him not no so if then than into over any some
all more most just also very am s t don""".split())


def unit(rows):
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)


def components(rows, count):
    """The principal directions of rows, the strongest first."""
    _, directions = np.linalg.eigh(rows.T @ rows)
    return directions[:, ::-1][:, :count].astype(np.float32)


def sentence_matrix(sentences, place, weight):
    rows, columns, values = [], [], []
    for row, sentence in enumerate(sentences):
        for word in re.findall(r"[a-z0-9]+", sentence.lower()):
            if word in place and word not in STOP:
                rows.append(row)
                columns.append(place[word])
                values.append(weight[place[word]])
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=(len(sentences), len(weight)), dtype=np.float32)
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(1)).ravel())
    return sparse.diags(1 / np.maximum(length, 1e-9)).astype(np.float32) @ matrix


def learn(matrix, wanted, prior):
    """Rows whose sums are the wanted vectors of the sentences, near the prior: conjugate gradients."""
    back = matrix.T.tocsr()

    def apply(rows):
        return back @ (matrix @ rows) + np.float32(PRIOR) * rows

    rows = prior.copy()
    rest = back @ wanted + np.float32(PRIOR) * prior - apply(rows)
    direction, size = rest.copy(), (rest * rest).sum(0)
    for _ in range(ROUNDS):
        step = apply(direction)
        length = size / ((direction * step).sum(0) + 1e-12)
        rows += length * direction
        rest -= length * step
        next_size = (rest * rest).sum(0)
        direction = rest + (next_size / (size + 1e-12)) * direction
        size = next_size
    return rows


def teach(words, weight, sentences, word_vectors, sentence_vectors):
    word_vectors = np.fromfile(word_vectors, "<f4").reshape(-1, TEACHER)
    sentence_vectors = np.fromfile(sentence_vectors, "<f4").reshape(-1, TEACHER)
    sentence_vectors -= sentence_vectors.mean(0)
    directions = components(sentence_vectors, COMPONENTS)
    prior = unit((word_vectors - word_vectors.mean(0)) @ directions)
    matrix = sentence_matrix(sentences, {w: n for n, w in enumerate(words)}, weight)
    rows = learn(matrix, unit(sentence_vectors @ directions), prior)
    fits = (unit(matrix @ rows) * unit(sentence_vectors @ directions)).sum(1).mean()
    print("cosine of a sentence's rows and its vector:", round(float(fits), 3))
    return rows


def fasttext(path, words):
    place = {w: n for n, w in enumerate(words)}
    with open(path) as file:
        _, size = next(file).split()
        rows, known = np.zeros((len(words), int(size)), np.float32), np.zeros(len(words), bool)
        for line in file:
            word, *numbers = line.split()
            if word in place:
                rows[place[word]], known[place[word]] = np.array(numbers, np.float32), True
    rows[known] -= rows[known].mean(0)
    common = components(rows[known][:20_000], 2)  # what all words share says nothing
    rows[known] -= rows[known] @ common @ common.T
    print("words that the text has:", int(known.sum()))
    return unit(rows)


def main(words_file, frequencies_file, sentences_file, word_vectors, sentence_vectors, fasttext_vectors, out):
    with open(words_file) as file:
        words = json.load(file)
    with open(frequencies_file) as file:
        frequency = np.array(json.load(file))
    with open(sentences_file) as file:
        sentences = json.load(file)
    weight = (SIF / (SIF + frequency)).astype(np.float32)
    taught = teach(words, weight, sentences, word_vectors, sentence_vectors)
    read = fasttext(fasttext_vectors, words) * np.linalg.norm(taught, axis=1, keepdims=True)
    both = np.hstack([taught, read]).astype(np.float32)
    rows = both @ components(both * np.sqrt(frequency)[:, None].astype(np.float32), DIMENSIONS)
    write(words, spread(rows) * weight[:, None], out)


def spread(rows):
    """The rows turned so that all numbers say equally much, and the signs alone tell roughly which texts are similar."""
    signs = np.random.default_rng(1).choice([-1, 1], DIMENSIONS)
    turn = signs[:, None] * scipy.linalg.hadamard(DIMENSIONS) / np.sqrt(DIMENSIONS)
    return rows @ turn.astype(np.float32)


def write(words, rows, out):
    order = sorted(range(len(words)), key=lambda n: words[n])
    rows, names = rows[order], [words[n] for n in order]
    rows[[name in STOP for name in names]] = 0  # known, so that nothing looks for their parts
    scale = (np.abs(rows).max(1) / LEVELS + 1e-12).astype("<f4")
    small = np.round(rows / scale[:, None]).astype(np.int8)
    ends = np.cumsum([len(name) for name in names]).astype("<u4")
    body = ends.tobytes() + scale.tobytes() + small.tobytes() + "".join(names).encode()
    with open(out, "wb") as file:
        file.write(struct.pack("<III", len(names), DIMENSIONS, zlib.crc32(body)) + body)


main(*sys.argv[1:])
