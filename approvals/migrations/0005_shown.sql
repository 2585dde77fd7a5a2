-- What a person was shown, and when first, is a fact.
CREATE TRIGGER opened_part_is_append_only BEFORE UPDATE OR DELETE ON approvals_openedpart
    FOR EACH ROW EXECUTE FUNCTION approvals_refuse_change();
