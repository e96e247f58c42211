-- The roles that the session's own role has, whatever it was set to since. Policies call it in a
-- select of its own, so that it runs once for each statement and not for each row.
CREATE FUNCTION memctl.roles() RETURNS name[]
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT ARRAY(SELECT r.rolname FROM pg_catalog.pg_roles r WHERE pg_catalog.pg_has_role(session_user, r.oid, 'USAGE')) $$;

-- Whose terms the person counts with, and whose a push of theirs changes.
CREATE FUNCTION memctl.counted() RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ SELECT ARRAY(SELECT 'group ' || r.name FROM pg_catalog.unnest(memctl.roles()) AS r(name)) || ('person ' || session_user) $$;

CREATE FUNCTION memctl.countable() RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT ARRAY(SELECT DISTINCT 'group ' || r.readers FROM memctl.repositories r WHERE r.writers = ANY ((SELECT memctl.roles())::name[])) || ('person ' || session_user)
$$;

ALTER TABLE memctl.repositories ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.stores ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.chunks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.terms ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.term_changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE memctl.sizes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- Only an administrator, as memctl_owner, says which group shares a repository.
CREATE POLICY administer ON memctl.repositories TO memctl_owner USING (true) WITH CHECK (true);
CREATE POLICY read ON memctl.repositories FOR SELECT USING (readers = ANY ((SELECT memctl.roles())::name[]) OR writers = ANY ((SELECT memctl.roles())::name[]));

CREATE POLICY read ON memctl.stores FOR SELECT USING (
  owner = session_user OR
  owner IS NULL AND EXISTS (SELECT FROM memctl.repositories r WHERE r.root = stores.root AND r.remote = stores.remote)
);
-- Removing a store changes the counts of its readers, so nobody names other readers than those that it has.
CREATE POLICY add ON memctl.stores FOR INSERT WITH CHECK (
  owner = session_user AND readers = 'person ' || session_user OR
  owner IS NULL AND EXISTS (SELECT FROM memctl.repositories r WHERE r.root = stores.root AND r.remote = stores.remote
    AND r.writers = ANY ((SELECT memctl.roles())::name[]) AND stores.readers = 'group ' || r.readers)
);
CREATE POLICY change ON memctl.stores FOR UPDATE USING (
  owner = session_user OR
  owner IS NULL AND EXISTS (SELECT FROM memctl.repositories r WHERE r.root = stores.root AND r.remote = stores.remote AND r.writers = ANY ((SELECT memctl.roles())::name[]))
) WITH CHECK (
  owner = session_user OR
  owner IS NULL AND EXISTS (SELECT FROM memctl.repositories r WHERE r.root = stores.root AND r.remote = stores.remote AND r.writers = ANY ((SELECT memctl.roles())::name[]))
);
CREATE POLICY remove ON memctl.stores FOR DELETE USING (
  owner = session_user OR
  owner IS NULL AND EXISTS (SELECT FROM memctl.repositories r WHERE r.root = stores.root AND r.remote = stores.remote AND r.writers = ANY ((SELECT memctl.roles())::name[]))
);

-- The stores that the person may change. It is read with the rights of the caller.
CREATE VIEW memctl.writable WITH (security_invoker = true, security_barrier = true) AS
  SELECT s.id FROM memctl.stores s
  WHERE s.owner = session_user OR s.owner IS NULL AND EXISTS (
    SELECT FROM memctl.repositories r WHERE r.root = s.root AND r.remote = s.remote AND r.writers = ANY ((SELECT memctl.roles())::name[]));

-- The rows of a store follow it: the inner select sees what its own policy lets through.
DO $$
DECLARE
  part text;
BEGIN
  FOREACH part IN ARRAY ARRAY['documents', 'chunks', 'sizes'] LOOP
    EXECUTE format('CREATE POLICY read ON memctl.%I FOR SELECT USING (store IN (SELECT s.id FROM memctl.stores s))', part);
    EXECUTE format('CREATE POLICY add ON memctl.%I FOR INSERT WITH CHECK (store IN (SELECT w.id FROM memctl.writable w))', part);
    EXECUTE format('CREATE POLICY change ON memctl.%I FOR UPDATE USING (store IN (SELECT w.id FROM memctl.writable w)) WITH CHECK (store IN (SELECT w.id FROM memctl.writable w))', part);
    EXECUTE format('CREATE POLICY remove ON memctl.%I FOR DELETE USING (store IN (SELECT w.id FROM memctl.writable w))', part);
  END LOOP;
  FOREACH part IN ARRAY ARRAY['terms', 'term_changes'] LOOP
    EXECUTE format('CREATE POLICY read ON memctl.%I FOR SELECT USING (readers = ANY ((SELECT memctl.counted())::text[]) OR readers = ANY ((SELECT memctl.countable())::text[]))', part);
    EXECUTE format('CREATE POLICY add ON memctl.%I FOR INSERT WITH CHECK (readers = ANY ((SELECT memctl.countable())::text[]))', part);
    EXECUTE format('CREATE POLICY change ON memctl.%I FOR UPDATE USING (readers = ANY ((SELECT memctl.countable())::text[])) WITH CHECK (readers = ANY ((SELECT memctl.countable())::text[]))', part);
    EXECUTE format('CREATE POLICY remove ON memctl.%I FOR DELETE USING (readers = ANY ((SELECT memctl.countable())::text[]))', part);
  END LOOP;
END
$$;

GRANT SELECT ON memctl.migrations, memctl.repositories, memctl.writable TO memctl_person;
GRANT SELECT, INSERT, DELETE, UPDATE (name, commit, pushed, model) ON memctl.stores TO memctl_person;
GRANT SELECT, INSERT, UPDATE, DELETE ON memctl.documents, memctl.chunks, memctl.terms, memctl.term_changes, memctl.sizes TO memctl_person;

-- memctl_search reads every row, because an index on words cannot be used under row-level
-- security. Nobody logs in as it or is a member of it; its functions compare session_user.
CREATE POLICY search ON memctl.repositories FOR SELECT TO memctl_search USING (true);
CREATE POLICY search ON memctl.stores FOR SELECT TO memctl_search USING (true);
CREATE POLICY forget ON memctl.stores FOR DELETE TO memctl_search USING (true); -- for memctl.remove_person
CREATE POLICY search ON memctl.chunks FOR SELECT TO memctl_search USING (true);
CREATE POLICY search ON memctl.terms TO memctl_search USING (true) WITH CHECK (true);
CREATE POLICY search ON memctl.term_changes TO memctl_search USING (true) WITH CHECK (true);
CREATE POLICY search ON memctl.sizes FOR SELECT TO memctl_search USING (true);
GRANT SELECT ON memctl.repositories, memctl.stores, memctl.chunks, memctl.sizes TO memctl_search;
GRANT DELETE ON memctl.stores TO memctl_search;
GRANT SELECT, INSERT, UPDATE, DELETE ON memctl.terms, memctl.term_changes TO memctl_search; -- for memctl.uncount_store
REVOKE ALL ON FUNCTION memctl.roles(), memctl.counted(), memctl.countable() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memctl.roles(), memctl.counted(), memctl.countable() TO memctl_person, memctl_search;
