"""Values that hypothesis makes for the tests of this floor."""

from hypothesis import strategies as st

MAX_INT = 2**53 - 1

# Kept on purpose: both sides of the surrogate gap, controls, and what UTF-16 sorts differently.
texts = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
        st.sampled_from(
            '\x01\x08\t\n\x0c\r\x1f"\\/\x7f\x85é\u2028\ue000\uffff\U00010000\U0010ffff'
        ),
    ),
    max_size=12,
)
integers = st.integers(-MAX_INT, MAX_INT)
floats = st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda x: not (MAX_INT < abs(x) < 1e21 and x.is_integer())
)
numbers = st.one_of(integers, floats, st.sampled_from([0, 0.0, -0.0, 1, 1.0, 1e-7, 1e-5, 1e21]))
leaves = st.one_of(st.none(), st.booleans(), numbers, texts)
# Whatever canonical JSON accepts.
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(texts, inner, max_size=5)),
    max_leaves=25,
)
