-- The books of a shop, in a database that has nothing to do with Kedge's own: double entry, and
-- nobody gets back more than they paid.
CREATE TABLE IF NOT EXISTS purchase (
    id text PRIMARY KEY,
    customer text NOT NULL,
    currency text NOT NULL,
    paid bigint NOT NULL CHECK (paid >= 0),
    refunded bigint NOT NULL DEFAULT 0 CHECK (refunded >= 0),
    CONSTRAINT nobody_gets_back_more_than_they_paid CHECK (refunded <= paid)
);

CREATE TABLE IF NOT EXISTS refund (
    action_id uuid PRIMARY KEY,
    key text NOT NULL,
    ticket text NOT NULL,
    number bigint NOT NULL,
    purchase text NOT NULL REFERENCES purchase,
    cents bigint NOT NULL CHECK (cents > 0),
    currency text NOT NULL,
    reverted_by uuid UNIQUE
);

CREATE TABLE IF NOT EXISTS entry (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    action_id uuid NOT NULL,
    key text NOT NULL,
    purchase text NOT NULL REFERENCES purchase,
    account text NOT NULL,
    cents bigint NOT NULL
);

CREATE OR REPLACE FUNCTION books_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT sum(cents) FROM entry WHERE action_id = NEW.action_id) <> 0 THEN
        RAISE EXCEPTION 'the books do not balance';
    END IF;
    RETURN NULL;
END
$$;

DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'books_balance') THEN
        CREATE CONSTRAINT TRIGGER books_balance AFTER INSERT ON entry DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION books_balance();
    END IF;
END
$$;
