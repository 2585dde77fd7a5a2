"""What can be refused to people; each docstring is the sentence an operator reads."""

from django.core.exceptions import PermissionDenied


class Denied(PermissionDenied):
    """You may see this tenant, but you have no right to do this."""

    def __init__(self, tenant_id: int, permission: str) -> None:
        self.tenant_id = tenant_id
        self.permission = permission
        super().__init__(self.__doc__)


class NotAPerson(PermissionDenied):
    """This is a service user. Only people sign in and decide."""

    def __init__(self) -> None:
        super().__init__(self.__doc__)


class LinkClosed(Exception):
    """This sign-in link was used already, or its ten minutes are over."""


class PeopleError(Exception):
    """The tenant or person cannot be made as asked."""


class HeadsNotKept(Exception):
    """The signed heads of the audit trail cannot be written outside PostgreSQL."""

    def __init__(self, path: object, why: str) -> None:
        super().__init__(
            f"the file {path} cannot be written ({why}); make room or mend its permissions, then"
            " signing goes on by itself"
        )
