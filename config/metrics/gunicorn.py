"""How gunicorn serves the metrics; the address comes from the program list."""

from config.gunicorn import logconfig_dict

__all__ = ["logconfig_dict"]

wsgi_app = "config.metrics.wsgi"
workers = 1
threads = 2
graceful_timeout = 5
control_socket_disable = True
limit_request_fields = 50
