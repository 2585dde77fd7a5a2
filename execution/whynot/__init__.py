"""Why a run is not running: nine questions, each answered by itself, by the web process alone."""
