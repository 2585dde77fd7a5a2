"""What the customers of the demo's shops want: one ticket each, and what the books say of it."""

from dataclasses import dataclass

CARELESS = "careless"


@dataclass(frozen=True)
class Case:
    """One ticket. `paid` and `cents` are in cents; `cents` is what the ticket's own field says.

    `variant` is that of the combo that works on it.
    """

    shop: str
    purchase: str
    paid: int
    cents: int
    customer: str
    name: str
    title: str
    said: str
    variant: str = ""

    @property
    def mail(self) -> str:
        """Where the customer reads."""
        return f"{self.name.lower().replace(' ', '.')}@customers.kedge.example"

    @property
    def business_key(self) -> str:
        """A purchase is refunded by one run."""
        return f"refund/{self.purchase}"


CASES = (
    Case("harbour", "H-1001", 8_900, 2_490, "c-101", "Annemarie Osei", "Bent fluke",
         "The anchor came with a bent fluke. I keep it, but please pay me 24.90 EUR back."),
    Case("harbour", "H-1002", 46_000, 46_000, "c-102", "Tobias Wren", "Wrong winch",
         "You sent the wrong winch and I returned it. I would like all of my money back."),
    # The careless variant sends the desk round again: what the second refund meets is the rules.
    Case("harbour", "H-1003", 12_000, 4_000, "c-103", "Marguerite Dahl", "Rope too short",
         "The rope was ten metres too short, so please refund 40.00 EUR.", CARELESS),
    # Ticket and words disagree: nobody pays before a person has looked.
    Case("harbour", "H-1004", 12_000, 1_200, "c-104", "Konrad Appel", "Lamp does not light",
         "The lamp does not light. I paid 120.00 EUR and want it back."),
    # Above the ceiling: the rules refuse it, whoever would approve.
    Case("harbour", "H-1005", 250_000, 125_000, "c-105", "Philippa Moran", "Engine never came",
         "Half of the order never came, and I ask for half of the money."),
    Case("northsea", "N-2001", 3_100, 1_550, "c-201", "Jelle Hoekstra", "Stamps twice",
         "I was charged for the stamps twice. Please send 15.50 EUR back."),
    Case("northsea", "N-2002", 26_000, 13_000, "c-202", "Ingrid Solberg", "Parcel lost",
         "One of the two parcels was lost at sea; please refund 130.00 EUR."),
)  # fmt: skip
