-- Whose terms the person counts with, and whose a push of theirs changes.
CREATE FUNCTION memctl.counted() RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$ BEGIN RETURN ARRAY(SELECT 'group ' || r.name FROM unnest(memctl.roles()) AS r(name)) || ('person ' || session_user); END $$;

CREATE FUNCTION memctl.countable() RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT ARRAY(SELECT DISTINCT 'group ' || r.readers FROM memctl.repositories r WHERE r.writers = ANY ((SELECT memctl.roles())::name[])) || ('person ' || session_user)
$$;
GRANT EXECUTE ON FUNCTION memctl.counted(), memctl.countable() TO memctl_person, memctl_search;

-- How many chunks have a term, of all stores that the same people read. Counting for each store would take many more
-- rows, and a search over many stores would have to add them up.
CREATE TABLE memctl.terms (
  term text NOT NULL,
  readers text NOT NULL, -- 'person ada' for what she alone reads, 'group backend' for what the group does
  chunks int NOT NULL,
  PRIMARY KEY (term, readers)
) WITH (fillfactor = 80);

-- What each batch of a push changes in terms. memctl.fold_terms adds it up.
CREATE TABLE memctl.term_changes (
  readers text NOT NULL,
  chunks int NOT NULL, -- how many were added and removed
  rare boolean NOT NULL, -- the terms of few of these chunks: they count when they are added up, and the others at once
  names text[] NOT NULL,
  counts int[] NOT NULL
);
ALTER TABLE memctl.term_changes ALTER COLUMN names SET STORAGE EXTERNAL, ALTER COLUMN counts SET STORAGE EXTERNAL; -- compressing what goes soon is waste
CREATE INDEX term_changes_readers ON memctl.term_changes (readers, rare);

DO $$
DECLARE
  part text;
BEGIN
  FOREACH part IN ARRAY ARRAY['terms', 'term_changes'] LOOP
    EXECUTE format('ALTER TABLE memctl.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
    EXECUTE format('CREATE POLICY read ON memctl.%I FOR SELECT USING (readers = ANY ((SELECT memctl.counted())::text[]))', part);
    EXECUTE format('CREATE POLICY push ON memctl.%I USING (readers = ANY ((SELECT memctl.countable())::text[])) WITH CHECK (readers = ANY ((SELECT memctl.countable())::text[]))', part);
    EXECUTE format('CREATE POLICY search ON memctl.%I TO memctl_search USING (true) WITH CHECK (true)', part); -- for memctl.uncount_store
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON memctl.%I TO memctl_person, memctl_search', part);
  END LOOP;
END
$$;

-- Adds up what pushes changed in terms: everything, or only where it is a quarter of what the people read, or 10,000 chunks,
-- or 100 batches, because each time costs a row for each term. It runs with the caller's rights.
CREATE FUNCTION memctl.fold_terms(who text, everything boolean) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET work_mem = '64MB'
AS $$
DECLARE
  changed text[];
  steps int[];
BEGIN
  IF NOT everything AND (SELECT coalesce(sum(c.chunks), 0) < 10000 AND count(*) < 100 AND
    coalesce(sum(c.chunks), 0) * 4 < (SELECT coalesce(sum(s.chunks), 0) FROM memctl.stores s WHERE s.readers = who)
    FROM memctl.term_changes c WHERE c.readers = who AND c.rare) THEN
    RETURN;
  END IF;
  -- The changes are locked in one order, so that of two pushes one waits here, and finds in terms what the other one added.
  WITH locked AS MATERIALIZED (SELECT c.ctid AS place FROM memctl.term_changes c WHERE c.readers = who ORDER BY c.ctid FOR UPDATE),
  taken AS (DELETE FROM memctl.term_changes c USING locked l WHERE c.ctid = l.place RETURNING c.names, c.counts),
  sums AS (SELECT t.name, sum(t.n)::int AS n FROM taken CROSS JOIN LATERAL unnest(taken.names, taken.counts) AS t(name, n) GROUP BY t.name)
  SELECT array_agg(s.name ORDER BY s.name), array_agg(s.n ORDER BY s.name) INTO changed, steps FROM sums s WHERE s.n <> 0;
  INSERT INTO memctl.terms (term, readers, chunks) SELECT c.name, who, c.n FROM unnest(changed, steps) AS c(name, n)
    ON CONFLICT (term, readers) DO UPDATE SET chunks = terms.chunks + excluded.chunks;
  DELETE FROM memctl.terms t USING unnest(changed, steps) AS c(name, n) WHERE c.n < 0 AND t.term = c.name AND t.readers = who AND t.chunks <= 0;
END
$$;
GRANT EXECUTE ON FUNCTION memctl.fold_terms(text, boolean) TO memctl_person, memctl_search;

-- What a search has to know first: how many chunks the stores have that it asks, and their length, how many the person may
-- read, and in how many of those each term is, as far as pushes have added it up. Terms in none are left out.
CREATE FUNCTION memctl.begin_search(only_scope text, elsewhere text[], trusted text[], wanted text[],
  OUT chunks bigint, OUT length bigint, OUT everything bigint, OUT terms text[], OUT counts bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  mine text[] := memctl.counted();
BEGIN
  SELECT coalesce(sum(s.chunks) FILTER (WHERE memctl.asked(s, only_scope, elsewhere, trusted)), 0),
      coalesce(sum(s.length) FILTER (WHERE memctl.asked(s, only_scope, elsewhere, trusted)), 0), coalesce(sum(s.chunks), 0)
    INTO chunks, length, everything FROM memctl.readable() s;
  SELECT array_agg(c.term), array_agg(c.n) INTO terms, counts FROM (
    SELECT u.term, sum(u.n)::bigint AS n FROM (
      SELECT t.term, t.chunks AS n FROM memctl.terms t WHERE t.term = ANY (wanted) AND t.readers = ANY (mine)
      UNION ALL SELECT w.name, w.n FROM memctl.term_changes c CROSS JOIN LATERAL unnest(c.names, c.counts) AS w(name, n)
        WHERE c.readers = ANY (mine) AND NOT c.rare AND w.name = ANY (wanted)) u
    GROUP BY u.term HAVING sum(u.n) > 0) c;
END
$$;
GRANT EXECUTE ON FUNCTION memctl.begin_search(text, text[], text[], text[]) TO memctl_person;
