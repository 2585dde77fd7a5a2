"""How gunicorn serves the web process; the address comes from the program list."""

from config.logs import logging_config

wsgi_app = "config.wsgi"
workers = 2
threads = 4
# One start-up check and one import for all workers; nothing is connected before the fork.
preload_app = True
# No page takes longer than its statement time-out.
graceful_timeout = 16
control_socket_disable = True
logconfig_dict = logging_config("INFO")
# gunicorn gives its loggers handlers of its own; without them its lines are JSON too.
logconfig_dict["loggers"] |= {
    "gunicorn.error": {"handlers": [], "level": "INFO", "propagate": True},
    # An address may hold a sign-in link, so requests are not logged here.
    "gunicorn.access": {"handlers": [], "level": "WARNING", "propagate": False},
}
