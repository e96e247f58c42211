-- A store is what one push sends: a scope of a repository, or the user scope of a person.
CREATE TABLE memctl.stores (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  scope text NOT NULL CHECK (scope IN ('project', 'private', 'user')),
  root text NOT NULL,
  remote text NOT NULL,
  owner name,           -- the person whose rows these are; nobody where a group shares them
  readers text NOT NULL, -- who read it at its first push, as in terms: 'person ada' or 'group backend'
  moved boolean NOT NULL DEFAULT false, -- the repository is no longer shared with these readers
  name text NOT NULL,   -- what hits call the repository
  commit text NOT NULL DEFAULT '', -- of the last push that ended; '' before
  pushed timestamptz,   -- when that was, by the server's clock
  model text NOT NULL DEFAULT '',  -- the embedder of its vectors
  -- How many documents and chunks it has, and the sum of the chunks' lengths. Each batch of a push changes those of chunks.
  documents bigint NOT NULL DEFAULT 0,
  chunks bigint NOT NULL DEFAULT 0,
  length bigint NOT NULL DEFAULT 0,
  target text NOT NULL GENERATED ALWAYS AS (scope || ' ' || root || ' ' || remote) STORED, -- as a search names the stores that it leaves out
  CHECK (owner IS NOT NULL OR scope = 'project')
);
CREATE UNIQUE INDEX stores_identity ON memctl.stores (scope, root, remote, coalesce(owner, ''));
CREATE INDEX stores_owner ON memctl.stores (owner) WHERE owner IS NOT NULL;
CREATE INDEX stores_readers ON memctl.stores (readers);
CREATE INDEX stores_moved ON memctl.stores (root, remote) WHERE moved;

ALTER TABLE memctl.stores ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY read ON memctl.stores FOR SELECT USING (
  owner = session_user OR
  owner IS NULL AND EXISTS (SELECT FROM memctl.repositories r WHERE r.root = stores.root AND r.remote = stores.remote)
);
-- Removing a store changes the counts of its readers, so nobody names other readers than those that it has.
CREATE POLICY push ON memctl.stores USING (
  owner = session_user OR
  owner IS NULL AND EXISTS (SELECT FROM memctl.repositories r WHERE r.root = stores.root AND r.remote = stores.remote AND r.writers = ANY ((SELECT memctl.roles())::name[]))
) WITH CHECK (
  owner = session_user AND readers = 'person ' || session_user OR
  owner IS NULL AND EXISTS (SELECT FROM memctl.repositories r WHERE r.root = stores.root AND r.remote = stores.remote
    AND r.writers = ANY ((SELECT memctl.roles())::name[]) AND stores.readers = 'group ' || r.readers)
);
-- memctl_search reads every row, because an index on words cannot be used under row-level security. Nobody logs in as it or
-- is a member of it; its functions compare session_user, and name all that they call by schema.
CREATE POLICY search ON memctl.stores FOR SELECT TO memctl_search USING (true);
CREATE POLICY forget ON memctl.stores FOR DELETE TO memctl_search USING (true); -- for memctl.remove_person
GRANT SELECT, INSERT, DELETE, UPDATE (name, commit, pushed, model, documents, chunks, length) ON memctl.stores TO memctl_person;
CREATE POLICY move ON memctl.stores FOR UPDATE TO memctl_search USING (true); -- for memctl.mark_moved
GRANT SELECT, DELETE, UPDATE (moved) ON memctl.stores TO memctl_search;

-- Marks the stores of repositories that an administrator has shared with others, or with nobody. It waits for pushes that are
-- making a store, and pushes that begin later see who the readers are now.
CREATE FUNCTION memctl.mark_moved() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  LOCK TABLE memctl.stores IN SHARE MODE;
  UPDATE memctl.stores s SET moved = true WHERE s.owner IS NULL AND NOT s.moved AND NOT EXISTS (
    SELECT FROM memctl.repositories r WHERE r.root = s.root AND r.remote = s.remote AND s.readers = 'group ' || r.readers);
  RETURN NULL;
END
$$;
CREATE TRIGGER moved AFTER UPDATE OR DELETE OR TRUNCATE ON memctl.repositories FOR EACH STATEMENT EXECUTE FUNCTION memctl.mark_moved();

-- The stores that the person may change. It is read with the rights of the caller.
CREATE VIEW memctl.writable WITH (security_invoker = true, security_barrier = true) AS
  SELECT s.id FROM memctl.stores s
  WHERE s.owner = session_user OR s.owner IS NULL AND EXISTS (
    SELECT FROM memctl.repositories r WHERE r.root = s.root AND r.remote = s.remote AND r.writers = ANY ((SELECT memctl.roles())::name[]));
GRANT SELECT ON memctl.writable TO memctl_person, memctl_search;

-- The stores that the person may read, as the policies have it. A person's own store of a project is left out once a group of
-- theirs has pushed the project: nobody updates it any more. It costs what the person may read: the settings keep each step
-- on an index, whatever the settings of the caller. It looks at the repositories of moved stores only: a look for each store
-- would cost more than the search.
CREATE FUNCTION memctl.readable() RETURNS SETOF memctl.stores
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  roles name[] := memctl.roles();
  mine text[] := memctl.counted();
BEGIN
  RETURN QUERY
  SELECT s.* FROM memctl.stores s
  WHERE s.readers = ANY (mine) AND NOT s.moved AND (s.owner IS NULL OR s.owner = session_user AND (s.scope <> 'project' OR NOT EXISTS (
    SELECT FROM memctl.repositories r JOIN memctl.stores g ON g.scope = 'project' AND g.root = r.root AND g.remote = r.remote AND coalesce(g.owner, '') = ''
    WHERE r.root = s.root AND r.remote = s.remote AND (r.readers = ANY (roles) OR r.writers = ANY (roles)))))
  UNION ALL
  SELECT s.* FROM memctl.stores s WHERE s.moved AND EXISTS (
    SELECT FROM memctl.repositories r WHERE r.root = s.root AND r.remote = s.remote AND (r.readers = ANY (roles) OR r.writers = ANY (roles)));
END
$$;

-- Whether a question is asked of a store: of one scope, not of those that the caller searches elsewhere ("scope root remote"),
-- and of projects only of those that are trusted by remote or first commit. NULL leaves a condition out. It has no settings of
-- its own, so that the functions that call it take it in.
CREATE FUNCTION memctl.asked(s memctl.stores, only_scope text, elsewhere text[], trusted text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
  SELECT (only_scope IS NULL OR s.scope = only_scope) AND (s.target = ANY (elsewhere)) IS NOT TRUE
    AND (trusted IS NULL OR s.scope <> 'project' OR s.remote <> '' AND s.remote = ANY (trusted) OR s.root <> '' AND s.root = ANY (trusted))
$$;

-- Removes a store with its rows. It runs with the caller's rights, which row-level security limits.
CREATE FUNCTION memctl.drop_store(number bigint) RETURNS boolean
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
  WITH gone AS (DELETE FROM memctl.stores s WHERE s.id = number RETURNING s.id) SELECT EXISTS (SELECT FROM gone)
$$;
GRANT EXECUTE ON FUNCTION memctl.readable(), memctl.asked(memctl.stores, text, text[], text[]) TO memctl_person, memctl_search;
GRANT EXECUTE ON FUNCTION memctl.drop_store(bigint) TO memctl_person;
