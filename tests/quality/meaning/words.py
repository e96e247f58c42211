"""words.py TEXT ENGLISH WORDS FREQUENCIES SENTENCES: the table's words with their frequencies, and the sentences to learn from.

TEXT is what text.py writes, ENGLISH a JSON file whose "words" are common words of English, the commonest first. A
word's frequency is a mean of that in the text and of that in English, which follows from its place (Zipf).
"""
import collections
import json
import random
import re
import sys

WORDS = 39_000
SENTENCES = 16_000
TEXT = 0.7  # weight of the text's frequency; English has the rest
NUMBERS = [str(n) for n in range(101)]


def main(text, english, words_out, frequencies_out, sentences_out):
    by_package = collections.defaultdict(list)
    counts = collections.Counter()
    with open(text) as file:
        for line in file:
            package, sentence = line.rstrip("\n").split("\t")
            by_package[package].append(sentence)
            counts.update(re.findall(r"[a-z0-9]+", sentence.lower()))
    with open(english) as file:
        common = [w for w in json.load(file)["words"] if re.fullmatch(r"[a-z]{2,20}", w)]
    rank = {w: n for n, w in enumerate(common)}
    total, zipf = sum(counts.values()), sum(1 / (n + 2.7) for n in range(len(common)))
    frequency = {}
    for word in set(rank) | set(counts):
        count = counts[word]
        named = count >= 40 and re.fullmatch(r"[a-z][a-z0-9]{1,19}", word)
        if word in rank or named:
            english_share = 1 / (rank[word] + 2.7) / zipf if word in rank else 0
            frequency[word] = TEXT * count / total + (1 - TEXT) * english_share
    chosen = sorted(frequency, key=lambda w: (-frequency[w], w))[:WORDS]
    for number in NUMBERS:
        frequency[number] = max(counts[number], 1) / total
    chosen += NUMBERS
    with open(words_out, "w") as file:
        json.dump(chosen, file)
    with open(frequencies_out, "w") as file:
        json.dump([frequency[w] for w in chosen], file)
    write_sentences(by_package, set(chosen), sentences_out)
    print(total, "words of text; the last of the table's:", chosen[WORDS - 10:WORDS])


def write_sentences(by_package, known, out):
    """Short sentences: a third from WordNet, the others from each package in turn."""
    random.seed(1)

    def fit(sentence):
        words = re.findall(r"[a-z0-9]+", sentence.lower())
        return 5 <= len(words) <= 16 and len(sentence) < 115 and sum(w in known for w in words) >= 4

    lists = {p: [s for s in by_package[p] if fit(s)] for p in sorted(by_package)}
    for sentences in lists.values():
        random.shuffle(sentences)
    chosen = lists.pop("dict-wn", [])[:SENTENCES // 3]
    turn = 0
    while len(chosen) < SENTENCES and any(turn < len(s) for s in lists.values()):
        chosen += [s[turn] for s in lists.values() if turn < len(s)]
        turn += 1
    with open(out, "w") as file:
        json.dump(chosen[:SENTENCES], file)


main(*sys.argv[1:])
