"""Which of several ways to say a thing does the grammar know, and which words say nothing about the scene?

Two lists of rules, applied one after the other. The first brings words to one form and takes out where things stand and
what they look like besides; the second brings phrases of quantity to one form.
"""

from __future__ import annotations

from hengliang.systems.readers.english_patterns import read_rules, rule_words

_PLACES = (
    "image|images|picture|pictures|box|grid|list|board|screen|page|sheet|area|display|scene|set|figure|drawing|canvas|"
    "crowd|outskirts|center|centre|middle|top|bottom|left|right|side|background|space"
)
_SHOWN = "shown|displayed|presented|depicted|portrayed|pictured|visible|represented|present|seen|found"
_STREWN = "spread|scattered|dotted|spaced|placed|arranged|mixed"
_AMOUNT = (
    "number|numbers|amount|amounts|quantity|quantities|ratio|split|mix|mixture|spread|division|distribution|"
    "proportion|share"
)
_ROUGHLY = "quite|roughly|about|approximately|almost|nearly"
_BEING = "is|are|was|were|be|being|been"

ADVERBS = read_rules("""
there are|is also -> there also
there also are|is -> there also
also are|is -> are
as well as -> and
as well -> also
too -> also
equally man -> equally many
also|however|furthermore|moreover|again|though|although|actually|overall|altogether|additionally|similarly ->
then|now|currently|still|clearly|simply|basically|obviously|nicely|indeed|really ->
""")
"""Words that only join what is said to what was said before."""

FIRST = read_rules(f"""
there's -> there is
theres -> there is
it's -> it is
they're -> they are
isn't -> is not
aren't -> are not
don't|doesn't -> do not
nothing else? but|except|besides|than -> only
nothing other|apart|aside than|from -> only
nothing -> no thing
& -> and
man -> many
hal -> half
an they -> and they
a series of ->
seems|seem|looks|look like a|an -> a
tha -> than
hem -> them
if them|which|these -> of them
ehich|whih|wich -> which
of there -> of the
, than there -> , there
another -> a
of the group|set|lot|bunch|collection -> of the objects
of this|that group|set|half -> of them
all , but -> all but
the half -> half
a? total of ->
color -> colour
colors -> colours
was -> is
were -> are
on|in a|the white background ->
{_BEING} in|on|within the|this|a {_PLACES} -> exist
{_BEING} quite? spread|scattered around|out|across|over -> exist
in|on|within|inside|across|over|around this|the|that|these|a|an far? {_PLACES} of? the? area|box? ->
on|in|to the far? left|right|side|middle|center|centre|top|bottom ->
in|within|inside|on this square|one ->
in|on total ->
in there ->
all over ->
{_STREWN} fairly|quite? equally|evenly|randomly? in|across|around|out|over the|this? {_PLACES}|square ->
scattered|dotted|placed|arranged|spread around|out|across|over|in ->
spread across|over|around|out ->
mixed|dotted in|around ->
{_BEING} scattered ->
scattered ->
that|which {_BEING} {_SHOWN} ->
can|could be {_SHOWN} -> exist
{_BEING} {_SHOWN} here|there -> exist
{_BEING} {_SHOWN} in -> in
{_BEING} {_SHOWN} -> exist
occurs|occur|exists -> exist
seem|seems|appear|appears|happen|happens to be -> are
seem|seems like -> are
seem|seems to ->
it seems|appears that? ->
it looks like ->
seem|seems ->
appear|appears in -> in
appear|appears -> exist
{_SHOWN} here|there ->
shown|displayed|presented|depicted|portrayed|visible|pictured ->
can|could|may|must|will|would only be -> are only
can|could|may|must|will|would be|consist -> are
that|which consist|consists of|in? -> are
consist|consists of|in? -> are
are|is comprised|composed|made up? of -> are
consisting|comprising|composed of|in? -> , are
do|does not have -> not have
in terms of -> in
a|the? entire|whole|full|complete set|group|grid|collection of -> all
the entire|whole set|group|collection|picture -> everything
you will|can? see -> there are
i can? see -> there are
it|this|that|which|grid|image|picture contains|has -> there are
the|this grid|image|picture|box|square|set|scene contains|has|holds|shows -> there are
contains|contain -> there are
it is all -> all
these|those are all -> they are all
along|together|accompanied with|by -> with
are accompanied by -> with
with the addition of -> with
with addition of -> with
in addition to -> and
plus -> and
except|save|apart|aside|other|safe|expect for|from|of|than -> except
with|by the|a? exception|exceptions of -> except
with|by an|the|a exception|exceptions as -> except
excluding|barring|besides|excepting|except|exceot -> except
at all ->
whereas|whilst -> while
where as -> while
followed by -> , with
regarding|concerning|amongst -> among
with regards|regard to -> among
amid|between -> among
out of which|whom -> of which
persuasion ->
are|is here -> exist
here ->
which|that are close together ->
quite? close together ->
and quite? spread out ->
mostly they are -> they are mostly
the colour|colours is|are mostly -> objects are mostly
the only colour is|are -> all objects are
the only exception|exceptions is|are -> there is
safe|save -> except
among all the -> with
among|around a large|huge spread|number|crowd of -> with many
around mostly -> with mostly
not many -> few
there are|is two kinds|types|sorts of objects|shapes|items|things|figures ,? -> there are
mostly dominated|filled by|with -> mostly
exclusively filled by|with -> only
""")
"""One form for each word, and what says nothing about which things there are."""

SECOND = read_rules(f"""
there is not a -> there is no
not any -> no
a? couple of? -> couple
a pair of -> 2
but more than none ->
majority|most , but not all ,? -> majority
a? lot|lots|plenty|bunch of -> many
a? large|significant|huge|great|high|good|substantial number|amount|quantity|spread of -> many
a number of -> several
serval|various|numerous|multiple -> several
a? very? small|low|smaller|little number|amount|quantity of -> a few
very few -> few
a|the? vast|big|large|great|clear|overwhelming? majority -> majority
a|the? minority -> minority
mainly|primarily|predominantly|largely|dominantly|mostly|generally -> mostly
are|is divided|split|distributed in|into|between|among -> are
nearly|almost|virtually|practically|basically all|every|everything -> almost all
approximately|roughly|about|around|nearly|almost|circa|approx half -> about half
about a half -> about half
just|slightly|little|bit over|above half -> more than half
slightly|bit more|over than? half -> more than half
just under|below half -> less than half
over|above half -> more than half
under|below half -> less than half
slightly|somewhat|much|many|far|considerably|even more -> more
a bit|little|lot more -> more
a bit|little|lot fewer|less -> fewer
slightly|somewhat|much|many|far|considerably|even fewer|less -> fewer
less than half -> less than half
lesser|less -> fewer
a? greater|higher|larger number|amount of -> more
a? smaller|lower number|amount of -> fewer
outnumbers|outweigh|outweighs|exceed|exceeds|outnumbered -> outnumber
prevail over -> outnumber
equally|just|exactly|precisely as many|much -> as many
as much -> as many
equally much -> equally many
{_ROUGHLY} the|an|a? equal|even|same|equivalent|equally|evenly {_AMOUNT} of? of|between|among? -> about_equal_of
{_ROUGHLY} the|an|a? same of amount of -> about_equal_of
an|a|the|in? equal|even|same|equally|identical|equivalent|similar {_AMOUNT} of|between|among? -> equal_of
in equal|even amounts|numbers|quantities|proportions -> equal_of
{_ROUGHLY} equally|evenly|equal|balanced -> about_equally
evenly -> equally
a|an|the? healthy|good|nice|random? mix|mixture|mixtures|variety|combination|assortment|range of|or -> mix_of
mixed bag of -> mix_of
""")
"""One form for each way to say how many."""

KNOWN_WORDS = frozenset(rule_words(ADVERBS) | rule_words(FIRST) | rule_words(SECOND))
