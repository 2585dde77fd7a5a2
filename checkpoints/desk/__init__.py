"""How people work on a case together: what they noted, whom they wait for, how old it is."""
