"""text.py FOLDER OUT: the sentences of all documentation under FOLDER, one a line, each once.

FOLDER has one folder for each unpacked package. Packages, folders and files are read in the order of their names, so
that the same packages always give the same text.
"""
import gzip
import html
import json
import os
import re
import sys

LONGEST_FILE = 8_000_000
MOST_WORDS = 1_500_000  # of one package, so that no package outweighs the others

HTML = (".html", ".htm", ".xhtml")
PLAIN = (".md", ".rst", ".txt", ".adoc")
SKIP_FILES = re.compile(r"(copyright|licen[cs]e|changelog|notice|copying|news|genindex|searchindex)", re.I)
SKIP_FOLDERS = re.compile(r"/(fr|de|es|ja|ko|pt|pt-br|pl|ru|it|tr|da|zh|zh-cn|locale|vendor|testdata|_static)(/|$)")


def paragraphs_of_html(text):
    text = re.sub(r"(?is)<(script|style|pre|head|nav)\b.*?</\1>", " ", text)
    text = re.sub(r"(?i)</?(code|a|em|strong|b|i|tt|span|var|kbd|samp|dfn|abbr|q|cite)\b[^>]*>", "", text)
    return html.unescape(re.sub(r"<[^>]+>", "\n\n", text))


def paragraphs_of_markup(text):
    """Markdown and reStructuredText, without their code."""
    text = re.sub(r"(?s)```.*?```", " ", text)
    text = re.sub(r"(?m)^(    |\t).*$", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r":[a-z:]+:`([^`<]*)[^`]*`", r"\1", text).replace("`", "")


def paragraphs_of_manual(text):
    lines = []
    for line in text.split("\n"):
        if re.match(r"\.(B|I|BR|IR|RB|RI|BI|IB)\b", line):
            line = line.split(" ", 1)[-1]
        elif line.startswith("."):
            line = ""
        lines.append(line)
    text = re.sub(r"\\f[BIRP]|\\[&/,|^%]", "", "\n".join(lines))
    return text.replace("\\-", "-").replace("\\(aq", "'").replace("\\(dq", '"')


def paragraphs_of_comments(text):
    """The comments of Go and TypeScript that fill lines."""
    blocks = re.findall(r"(?m)(?:^[ \t]*//[^\n]*\n)+", text) + re.findall(r"(?s)/\*\*(.*?)\*/", text)
    return "\n\n".join(re.sub(r"(?m)^[ \t]*(//+|\*)", "", block) for block in blocks)


def paragraphs_of_service(text):
    """The descriptions in a JSON file that describes a service."""
    found = []

    def walk(value):
        if isinstance(value, dict):
            for name, part in value.items():
                if name == "documentation" and isinstance(part, str):
                    found.append(paragraphs_of_html(part))
                else:
                    walk(part)
        elif isinstance(value, list):
            for part in value:
                walk(part)

    walk(json.loads(text))
    return "\n\n".join(found)


def paragraphs_of_wordnet(text):
    """Glosses and examples, a paragraph each: dict's form numbers the senses and quotes the examples."""
    text = " ".join(re.sub(r"[{}]|\[[^\]]*\]", "", text).split())
    parts = re.findall(r'"([^"]{20,200})"', text)
    parts += re.findall(r"\d: ([^\":;]{25,200})", text)
    return "\n\n".join(part + "." for part in parts)


def reader(path):
    """The function that reads a file of this name, or None."""
    name = os.path.basename(path)
    name = name[:-3] if name.endswith(".gz") else name
    if name.endswith(HTML):
        return paragraphs_of_html
    if name.endswith(PLAIN) or name.startswith("README"):
        return paragraphs_of_markup
    if re.search(r"/man/man\d/", path):
        return paragraphs_of_manual
    if name.endswith(".go") and not name.endswith("_test.go") or name.endswith(".d.ts"):
        return paragraphs_of_comments
    if name.startswith("service-2.json"):
        return paragraphs_of_service
    if name == "wn.dict.dz":
        return paragraphs_of_wordnet
    return None


def read(path):
    as_text = reader(path)
    if as_text is None or SKIP_FILES.match(os.path.basename(path)) or os.path.islink(path):
        return ""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith((".gz", ".dz")):
        data = gzip.decompress(data)
    if len(data) > LONGEST_FILE and as_text is not paragraphs_of_wordnet:
        return ""
    return as_text(data.decode("utf8", "ignore"))


def sentences(text):
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z\"(])", " ".join(paragraph.split())):
            sentence = sentence.strip(" *-#>|=~")
            letters = sum(c.isalpha() or c == " " for c in sentence)
            if 25 <= len(sentence) <= 300 and sentence.count(" ") >= 4 and sentence.isascii() and letters > 0.85 * len(sentence):
                yield sentence


def files(folder):
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not SKIP_FOLDERS.search("/" + f))
        for name in sorted(names):
            yield os.path.join(place, name)


def main(folder, out):
    seen = set()
    with open(out, "w") as file:
        for package in sorted(os.listdir(folder)):
            words = 0
            for path in files(os.path.join(folder, package)):
                for sentence in sentences(read(path)) if words < MOST_WORDS else ():
                    if sentence.lower() not in seen:
                        seen.add(sentence.lower())
                        words += sentence.count(" ") + 1
                        file.write(package + "\t" + sentence + "\n")
            print(package, words, flush=True)


main(*sys.argv[1:])
