"""Who can have a session: active people, and nothing else."""

from allauth.account.auth_backends import AuthenticationBackend

from tenants.models import User


class People(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """Signs people in by e-mail and password; a session of a service user is nobody's session.

    Django asks this at sign-in, and again for the person of every request.
    """

    def user_can_authenticate(self, user: User) -> bool:
        return user.kind == User.Kind.PERSON and bool(super().user_can_authenticate(user))
