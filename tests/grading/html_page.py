"""Reads a page as a browser does, for the tests of what a page holds."""

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "wbr"}


class Page(HTMLParser):
    """What a browser would see: elements with their attributes, and the text in each."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.open = []
        self.words = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        found = (tag, dict(attrs), [])
        self.elements.append(found)
        if tag not in VOID:
            self.open.append(found)

    def handle_endtag(self, tag):
        assert self.open[-1][0] == tag, f"</{tag}> closes <{self.open[-1][0]}>"
        self.open.pop()

    def handle_data(self, data):
        for _, _, texts in self.open:
            texts.append(data)

    def all(self, *tags):
        return [(found[1], "".join(found[2])) for found in self.elements if found[0] in tags]

    def by_id(self, id):
        (found,) = [found for found in self.elements if found[1].get("id") == id]
        return found[1], "".join(found[2])
