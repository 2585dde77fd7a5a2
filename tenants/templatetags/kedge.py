"""Tags and filters of every page: pills, icons, times, amounts, ids, and text we did not write."""

from datetime import datetime
from typing import Any, Literal, TypeAlias

from django import template
from django.template import Context
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from canonical import display, links
from tenants import amounts, moments, pills

register = template.Library()

# A variable a template does not know arrives in a filter as "".
NotGiven: TypeAlias = Literal[""] | None


@register.inclusion_tag("components/pill.html")
def pill(code: str, reason: str = "", size: str = "") -> dict[str, Any]:
    """`{% pill run.status run.reason %}`: word, shape and colour of a status, outcome or request.

    `size` may be "large", for the head of a page. Never raises; see `tenants.pills`.
    """
    return {"pill": pills.pill_for(str(code), str(reason)), "size": size}


@register.simple_tag
def tone(code: str, reason: str = "") -> str:
    """`{% tone run.status run.reason %}`: the class that colours what stands around a pill."""
    return f"tone-{pills.pill_for(str(code), str(reason)).tone}"


@register.simple_tag
def icon(name: str) -> SafeString:
    """`{% icon "stop" %}`: one symbol of static/icons/icons.svg, decoration beside a word."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>',
        static("icons/icons.svg"),
        name,
    )


@register.simple_tag(takes_context=True)
def place(context: Context, name: str) -> str:
    """`{% place "runs" as url %}`: a page of this page's tenant, else of no tenant, else ""."""
    tenant = (context.get("nav") or {}).get("tenant")
    slugs = [tenant.slug] if tenant else []
    for arguments in (slugs, []):
        try:
            return reverse(name, args=arguments)
        except NoReverseMatch:
            continue
    return ""


@register.inclusion_tag("components/nav_link.html", takes_context=True)
def nav_link(context: Context, name: str, text: str, waiting: int | None = None) -> dict[str, Any]:
    """`{% nav_link "runs" text nav.waiting %}`: an entry of the main navigation."""
    match = getattr(context.get("request"), "resolver_match", None)
    here = context.get("section") or getattr(match, "url_name", "")
    return {"url": place(context, name), "text": text, "here": here == name, "waiting": waiting}


@register.simple_tag
def made_at() -> datetime:
    """`{% made_at as at %}`: when this page was made, by the clock of the web process."""
    return timezone.now()


@register.filter
def moment(when: datetime | NotGiven) -> SafeString:
    """`{{ at|moment }}`: "2026-11-29 13:20:11 UTC". A dash for None."""
    return _time(when, moments.moment(when)) if when else _nothing()


@register.filter
def age(when: datetime | NotGiven) -> SafeString:
    """`{{ at|age }}`: "4 min ago", with the full time in the title. A dash for None."""
    return _time(when, moments.age(when, timezone.now())) if when else _nothing()


@register.filter
def clock(when: datetime | NotGiven) -> SafeString:
    """`{{ at|clock }}`: "13:20:11", under a heading that names the day. A dash for None."""
    return _time(when, moments.clock(when)) if when else _nothing()


@register.filter
def day(when: datetime | NotGiven) -> str | SafeString:
    """`{{ at|day }}`: "2026-11-29". A dash for None."""
    return moments.day(when) if when else _nothing()


@register.filter
def span(seconds: float | NotGiven) -> str | SafeString:
    """`{{ seconds|span }}`: "4 min 10 s". A dash for None."""
    return _nothing() if seconds is None or seconds == "" else moments.span(seconds)


@register.filter("bytes")
def bytes_(number: int | NotGiven) -> SafeString:
    """`{{ n|bytes }}`: "1.4 KiB", with the exact number in the title. A dash for None."""
    if number is None or number == "":
        return _nothing()
    exact = f"{number:,} bytes"
    return format_html('<span title="{}">{}</span>', exact, amounts.size(number))


@register.filter
def count(number: int | NotGiven, at_most: int | None = None) -> str:
    """`{{ n|count }}`: "1,204"; `{{ n|count:10000 }}`: "10,000+" when counting stopped there."""
    return amounts.count(None if number == "" else number, at_most)


@register.filter
def short(identity: object) -> SafeString:
    """`{{ run_id|short }}`: eight telling characters, with all of it in the title."""
    return format_html('<code title="{}">{}</code>', identity, amounts.short(identity))


@register.filter
def file_class(code: str) -> str:
    """`{{ summary.file_class|file_class }}`: a kind of changed file in words."""
    return str(pills.FILE_CLASSES.get(str(code), code))


@register.filter
def difference(code: str) -> str:
    """`{{ row.label|difference }}`: in what alone two values differ, in words."""
    return str(pills.DIFFERENCES.get(str(code), code))


@register.filter
def json_type(code: str) -> str:
    """`{{ row.new_type|json_type }}`: the type of a JSON value in words."""
    return str(pills.JSON_TYPES.get(str(code), code))


@register.filter
def shown(text: object, layout: str = "") -> SafeString:
    """`{{ text|shown }}`: text we did not write, escaped, invisible characters as named marks.

    `{{ text|shown:"lines" }}` keeps line feeds and tabs as layout; without it they are marked too.
    `{{ text|shown:"links" }}` makes links of plain http(s) addresses, each with all of it as its
    text; `"lines links"` does both.
    """
    lines = "lines" in layout
    if "links" not in layout:
        return _marked(str(text), lines=lines)
    stretches = links.stretches(str(text))
    return format_html_join("", "{}", ((_linked(each, lines=lines),) for each in stretches))


@register.filter
def told(sentence: object) -> SafeString:
    """`{{ sentence|told }}`: a sentence of ours that may hold text of others, marked once.

    What is markup of ours already (`format_html`, a translated block) stays as it is.
    """
    if isinstance(sentence, SafeString):
        return sentence
    return format_html_join("", "{}", ((_piece(piece),) for piece in display.told(str(sentence))))


@register.filter
def brief(text: object, most: int = 400) -> SafeString:
    """`{{ name|brief:400 }}`: as `shown`, what does not fit that many bytes of page is counted."""
    fitting = display.fit(str(text), most)
    if not fitting.cut:
        return _marked(fitting.text)
    more = ngettext("%(n)s more character", "%(n)s more characters", fitting.cut)
    said = more % {"n": amounts.count(fitting.cut)}
    return format_html('{}… <span class="muted">({})</span>', _marked(fitting.text), said)


@register.filter
def visible(text: object, most: int = 200) -> str:
    """`{{ text|visible:80 }}`: the same without markup, for titles and attributes."""
    clipped = display.clip(str(text), most)
    more = f"… (+{amounts.count(clipped.cut)})" if clipped.cut else ""
    return display.visible(clipped.text) + more


def _marked(text: str, *, lines: bool = False) -> SafeString:
    pieces = display.shown(text, lines=lines)
    return format_html_join("", "{}", ((_piece(piece),) for piece in pieces))


def _piece(piece: display.Piece) -> str | SafeString:
    if piece.kind == "plain":
        return piece.text
    if piece.kind == "right_to_left":
        return format_html("<bdi>{}</bdi>", piece.text)
    kind = "unseen" if piece.kind == "hidden" else "alike"
    return format_html('<span class="{}" title="{}">{}</span>', kind, piece.name, piece.text)


def _linked(stretch: links.Stretch, *, lines: bool) -> SafeString:
    if not stretch.is_link:
        return _marked(stretch.text, lines=lines)
    link = '<a href="{}" rel="noopener noreferrer nofollow">{}</a>'
    return format_html(link, stretch.text, stretch.text)


def _time(when: datetime, words: str) -> SafeString:
    full = moments.moment(when)
    return format_html('<time datetime="{}" title="{}">{}</time>', when.isoformat(), full, words)


def _nothing() -> SafeString:
    return format_html('<span class="muted">{}</span>', "\u2013")
