"""What changed in a template between two runs."""

import json

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.kernel.template_changes import TemplateChanges, compare
from focuscrawl.template.load import load
from focuscrawl.values import Json
from tests.tables import each_row

PLAIN = '[[source]]\nurls = ["https://a.cn/", "https://b.cn/"]\n[follow]\ndeny = ["/x/", "/y/"]'


def resolved(text: str) -> Json:
    """As it is read back from where the last run kept it."""
    template = load(f'topic.name = "x"\n{text}').template
    plain: Json = json.loads(json.dumps(template.resolved))
    return plain


BEFORE = resolved(PLAIN)


@each_row(
    ("text", "changes"),
    [
        (PLAIN, TemplateChanges()),
        (PLAIN + "\n[politeness]\ndelay = '9s'", TemplateChanges()),
        (PLAIN.replace('"/x/", "/y/"', '"/y/", "/x/"'), TemplateChanges()),
        (PLAIN + "\n[queues]\nlevels = 3", TemplateChanges(levels=(5, 3))),
        (PLAIN + "\nallow = '/z/'", TemplateChanges(links=True)),
        (PLAIN + "\nscope = 'web'", TemplateChanges(links=True)),
        (PLAIN + "\nsites = 'c.cn'", TemplateChanges(links=True)),
        (PLAIN + "\n[site.'a.cn']\nskip = true", TemplateChanges(links=True)),
        (PLAIN + "\n[site.'a.cn'.url]\nkeep = 'id'", TemplateChanges(keys=True)),
        (PLAIN + "\n[url]\nkeep = 'id'", TemplateChanges(keys=True)),
        (PLAIN + "\n[explore]\nbanned = ['x.cn']", TemplateChanges(links=True)),
        (PLAIN + "\n[record.company.fields]\nname = {labels = '名称', required = true}", TemplateChanges(records=True)),
        ("topic.keywords = '地铁'\n" + PLAIN, TemplateChanges(words=True)),
        (PLAIN.replace('"https://b.cn/"', '"https://b.cn/2"'), TemplateChanges(("https://b.cn/2",), ("https://b.cn/",))),
        (PLAIN.replace("b.cn", "c.cn"), TemplateChanges(("https://c.cn/",), ("https://b.cn/",), links=True)),
        (PLAIN.replace('["https://a.cn/", ', "["), TemplateChanges((), ("https://a.cn/",), links=True)),
    ],
)  # fmt: skip
def test_what_matters_to_a_crawl_under_way_is_told(text: str, changes: TemplateChanges) -> None:
    found = compare(BEFORE, resolved(text))
    assert found == changes
    assert bool(found) is (changes != TemplateChanges())


def test_a_template_of_an_older_version_with_fewer_keys_can_be_compared() -> None:
    assert compare({}, BEFORE).sources_added == ("https://a.cn/", "https://b.cn/")
    assert compare({}, BEFORE).levels is None


@given(
    st.sets(st.sampled_from("abcdef"), min_size=1), st.sets(st.sampled_from("abcdef"), min_size=1)
)
def test_sources_added_and_removed_lead_from_one_set_to_the_other(
    old: set[str], new: set[str]
) -> None:
    before = {"source": [{"urls": [f"https://{name}.cn/" for name in old]}]}
    now = {"source": [{"urls": [f"https://{name}.cn/"]} for name in new]}
    changes = compare(before, now)
    was, is_now = ({f"https://{name}.cn/" for name in names} for names in (old, new))
    assert (was - set(changes.sources_removed)) | set(changes.sources_added) == is_now
    assert not set(changes.sources_added) & was
