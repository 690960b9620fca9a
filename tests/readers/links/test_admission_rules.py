from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from focuscrawl.readers.links.admission_rules import AdmissionRules, LinkRules
from focuscrawl.template.kinds.addresses import Matches
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.urls.sites import Hosts

HOSTS = st.sampled_from(["news.example.cn", "example.cn", "other.example", "Example.CN:8080"])
PATHS = st.lists(
    st.sampled_from(["/", "news", "a.b", "x.html", ".htm", ".PDF", ".jpg", "?id=1", "2026", "deny"])
).map("".join)
RULES = st.builds(
    LinkRules,
    skip=st.booleans(),
    allow=st.sampled_from([None, Matches(["/news"])]),
    deny=st.sampled_from([None, Matches(["deny"])]),
    boards=st.sampled_from([None, Matches(["/a"])]),
    articles=st.sampled_from([None, Matches(["*.html"])]),
)
SCOPES = st.sampled_from([None, Hosts(["example.cn"])])


@example([("example.cn", "a"), ("example.cn", "news.pdf")], LinkRules(), None, False)
@example([("example.cn", "a"), ("example.cn", "news" * 8 + "/")], LinkRules(), None, True)
@given(st.lists(st.tuples(HOSTS, PATHS), min_size=1, max_size=8), RULES, SCOPES, st.booleans())
def test_an_address_looks_the_same_however_many_of_its_host_were_seen(
    addresses: list[tuple[str, str]], rules: LinkRules, scope: Hosts | None, is_short: bool
) -> None:
    def fresh() -> AdmissionRules:
        return AdmissionRules(
            Canonicalizer(),
            lambda host: rules,
            scope,
            top=5,
            year=2026,
            max_length=32 if is_short else 2083,
        )

    seen = fresh()
    for host, path in addresses:
        url = f"http://{host}/{path.removeprefix('/')}"
        known, new = seen.look(url), fresh().look(url)
        assert (known.address, known.refused, known.refused_page, known.page_class) == (
            new.address,
            new.refused,
            new.refused_page,
            new.page_class,
        )
