-- These functions run as memctl_search, which reads every row. Each of them first finds the stores
-- that session_user may read, and names all that it calls by schema.

-- The stores that the person may read, as the policies on memctl.stores have it. A person's own store of a project is
-- left out once a group of theirs has pushed the project: nobody updates it any more.
CREATE FUNCTION memctl.readable() RETURNS TABLE (id bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  WITH shared AS (
    SELECT s.id, s.root, s.remote FROM memctl.stores s WHERE s.owner IS NULL AND (s.root, s.remote) IN (
      SELECT r.root, r.remote FROM memctl.repositories r
      WHERE r.readers = ANY ((SELECT memctl.roles())::name[]) OR r.writers = ANY ((SELECT memctl.roles())::name[])))
  SELECT g.id FROM shared g
  UNION ALL
  SELECT s.id FROM memctl.stores s
  WHERE s.owner = session_user AND (s.scope <> 'project' OR (s.root, s.remote) NOT IN (SELECT g.root, g.remote FROM shared g))
$$;

-- The stores that the person may read, with what a search has to know of them.
CREATE FUNCTION memctl.searchable() RETURNS TABLE (id bigint, scope text, root text, remote text, name text, owner name, model text, chunks bigint, length bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
  SELECT s.id, s.scope, s.root, s.remote, s.name, s.owner, s.model, z.chunks, z.length
  FROM memctl.readable() r JOIN memctl.stores s ON s.id = r.id JOIN memctl.sizes z ON z.store = s.id WHERE z.chunks > 0
$$;

-- How many chunks each term is in, of all that the person may read.
CREATE FUNCTION memctl.count_terms(names text[]) RETURNS TABLE (term text, chunks bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
  SELECT t.term, pg_catalog.sum(t.chunks)::bigint FROM memctl.terms t
  WHERE t.term = ANY (names) AND t.readers = ANY ((SELECT memctl.counted())::text[]) AND t.chunks > 0 GROUP BY t.term
$$;

-- The chunks with at least one of the terms, those with the heaviest terms first, and the chunks before and
-- after the best of them in their session or file. wanted are the stores to search; NULL searches all but those of unwanted.
-- The score is BM25's but for how often a term is in a chunk. It is in plpgsql because that keeps the plan for the next question of the connection.
CREATE FUNCTION memctl.find_words(wanted bigint[], unwanted bigint[], any_of tsquery, each tsquery[], weights real[], tiers text[], conversations text[],
  categories text[], wanted_tags text[], since timestamptz, mean real, most int, closely int, reach int)
  RETURNS TABLE (store bigint, document text, path text, name text, tier text, conversation text, session text, speaker text, category text,
    tags text[], topics text[], written timestamptz, seq bigint, weight real, confidence real, pinned boolean, text text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  mine bigint[];
  readers text;
  few boolean;
BEGIN
  SELECT array_agg(s.id), string_agg(DISTINCT '''' || replace(replace('@' || s.readers, '\', '\\'), '''', '''''') || '''', ' | '),
      sum(z.chunks) * 4 < (SELECT t.reltuples FROM pg_class t WHERE t.oid = 'memctl.chunks'::regclass) INTO mine, readers, few
    FROM memctl.readable() r JOIN memctl.stores s ON s.id = r.id JOIN memctl.sizes z ON z.store = r.id
    WHERE (wanted IS NULL OR r.id IN (SELECT u.id FROM unnest(wanted) AS u(id))) AND r.id NOT IN (SELECT u.id FROM unnest(unwanted) AS u(id));
  IF few THEN -- the index then leaves out most chunks of other people, which the filter on stores would read first
    any_of := any_of && readers::tsquery;
  END IF;
  RETURN QUERY
  WITH found AS MATERIALIZED (
    SELECT c.id, c.store, c.together, c.conversation, c.written, c.seq,
      (CASE WHEN c.words @@ each[1] THEN weights[1] ELSE 0 END + CASE WHEN c.words @@ each[2] THEN weights[2] ELSE 0 END +
      CASE WHEN c.words @@ each[3] THEN weights[3] ELSE 0 END + CASE WHEN c.words @@ each[4] THEN weights[4] ELSE 0 END +
      CASE WHEN c.words @@ each[5] THEN weights[5] ELSE 0 END + CASE WHEN c.words @@ each[6] THEN weights[6] ELSE 0 END +
      CASE WHEN c.words @@ each[7] THEN weights[7] ELSE 0 END + CASE WHEN c.words @@ each[8] THEN weights[8] ELSE 0 END +
      CASE WHEN c.words @@ each[9] THEN weights[9] ELSE 0 END + CASE WHEN c.words @@ each[10] THEN weights[10] ELSE 0 END +
      CASE WHEN c.words @@ each[11] THEN weights[11] ELSE 0 END + CASE WHEN c.words @@ each[12] THEN weights[12] ELSE 0 END)
        / (1 + 0.9 * (0.7 + 0.3 * c.length / mean)) AS score
    FROM memctl.chunks c
    WHERE c.words @@ any_of
      AND (c.store IN (SELECT u.id FROM unnest(mine) AS u(id))) IS TRUE -- as a filter: the planner would search the index on words once for each store
      AND (tiers IS NULL OR c.tier = ANY (tiers)) AND (conversations IS NULL OR c.conversation = ANY (conversations))
      AND (categories IS NULL OR c.category = ANY (categories)) AND (wanted_tags IS NULL OR c.tags && wanted_tags)
      AND (since IS NULL OR c.written >= since)
    ORDER BY score DESC, c.written DESC NULLS LAST, c.id LIMIT most),
  best AS (SELECT f.* FROM found f ORDER BY f.score DESC, f.written DESC NULLS LAST, f.id LIMIT closely)
  SELECT c.store, c.document, c.path, c.name, c.tier, c.conversation, c.session, c.speaker, c.category,
    c.tags, c.topics, c.written, c.seq, c.weight, c.confidence, c.pinned, c.text FROM memctl.chunks c WHERE c.id IN (
    SELECT f.id FROM found f
    UNION ALL SELECT n.id FROM best b CROSS JOIN LATERAL (
      (SELECT p.id FROM memctl.chunks p WHERE p.together <> '' AND p.store = b.store AND p.together = b.together AND p.conversation = b.conversation
        AND (p.written, p.seq) < (b.written, b.seq) ORDER BY p.written DESC, p.seq DESC LIMIT reach)
      UNION ALL
      (SELECT p.id FROM memctl.chunks p WHERE p.together <> '' AND p.store = b.store AND p.together = b.together AND p.conversation = b.conversation
        AND (p.written, p.seq) > (b.written, b.seq) ORDER BY p.written, p.seq LIMIT reach)) n
    WHERE b.together <> '');
END
$$;

-- Adds up what pushes changed in terms: everything, or only if it is a quarter of what the people read or more. Ranking
-- needs the counts roughly, and each time costs a row for each term. It runs with the caller's rights.
CREATE FUNCTION memctl.fold_terms(who text, everything boolean) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET work_mem = '64MB'
AS $$
DECLARE
  changed text[];
  steps int[];
BEGIN
  IF NOT everything AND (SELECT coalesce(sum(c.chunks), 0) FROM memctl.term_changes c WHERE c.readers = who) * 4 <
    (SELECT coalesce(sum(z.chunks), 0) FROM memctl.sizes z JOIN memctl.stores s ON s.id = z.store WHERE s.readers = who) THEN
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

-- Takes a store that is removed off the counts of those who read it. They may be a group that the repository has left, whose
-- counts the caller may not change, so it runs as memctl_search. The policies on memctl.stores have said that the caller may remove the store.
CREATE FUNCTION memctl.uncount_store() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  INSERT INTO memctl.term_changes (readers, chunks, names, counts)
    SELECT OLD.readers, (SELECT count(*) FROM memctl.chunks c WHERE c.store = OLD.id), array_agg(t.word), array_agg(-t.ndoc)
    FROM ts_stat(format('SELECT words FROM memctl.chunks WHERE store = %s', OLD.id)) t WHERE t.word NOT LIKE '@%' HAVING count(*) > 0;
  PERFORM memctl.fold_terms(OLD.readers, true); -- the words of the store are to be in no table
  RETURN OLD;
END
$$;
CREATE TRIGGER uncount BEFORE DELETE ON memctl.stores FOR EACH ROW EXECUTE FUNCTION memctl.uncount_store();

-- Removes a store with its rows. It runs with the caller's rights, which row-level security limits.
CREATE FUNCTION memctl.drop_store(number bigint) RETURNS boolean
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
  WITH gone AS (DELETE FROM memctl.stores s WHERE s.id = number RETURNING s.id) SELECT EXISTS (SELECT FROM gone)
$$;

-- Removes all rows of a person, whose name a new role would inherit them by. Only an administrator may call it.
CREATE FUNCTION memctl.remove_person(person text) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  DELETE FROM memctl.stores s WHERE s.owner = person;
  DELETE FROM memctl.term_changes c WHERE c.readers = 'person ' || person;
  DELETE FROM memctl.terms t WHERE t.readers = 'person ' || person;
$$;

REVOKE ALL ON FUNCTION memctl.uncount_store(), memctl.remove_person(text), memctl.readable(), memctl.searchable(), memctl.count_terms(text[]), memctl.fold_terms(text, boolean), memctl.drop_store(bigint),
  memctl.find_words(bigint[], bigint[], tsquery, tsquery[], real[], text[], text[], text[], text[], timestamptz, real, int, int, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memctl.readable(), memctl.searchable(), memctl.count_terms(text[]), memctl.fold_terms(text, boolean), memctl.drop_store(bigint),
  memctl.find_words(bigint[], bigint[], tsquery, tsquery[], real[], text[], text[], text[], text[], timestamptz, real, int, int, int) TO memctl_person;
GRANT EXECUTE ON FUNCTION memctl.fold_terms(text, boolean) TO memctl_search;
GRANT EXECUTE ON FUNCTION memctl.remove_person(text) TO memctl_owner;
GRANT CREATE ON SCHEMA memctl TO memctl_search;
ALTER FUNCTION memctl.uncount_store() OWNER TO memctl_search;
ALTER FUNCTION memctl.remove_person(text) OWNER TO memctl_search;
ALTER FUNCTION memctl.readable() OWNER TO memctl_search;
ALTER FUNCTION memctl.searchable() OWNER TO memctl_search;
ALTER FUNCTION memctl.count_terms(text[]) OWNER TO memctl_search;
ALTER FUNCTION memctl.find_words(bigint[], bigint[], tsquery, tsquery[], real[], text[], text[], text[], text[], timestamptz, real, int, int, int) OWNER TO memctl_search;
REVOKE CREATE ON SCHEMA memctl FROM memctl_search;
