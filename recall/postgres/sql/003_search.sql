-- These functions run as memctl_search, which reads every row. Each of them first finds the stores
-- that session_user may read, and names all that it calls by schema.

-- The stores that the person may read, as the policies on memctl.stores have it.
CREATE FUNCTION memctl.readable() RETURNS TABLE (id bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT s.id FROM memctl.stores s
  WHERE s.owner = session_user OR s.owner IS NULL AND EXISTS (
    SELECT FROM memctl.repositories r
    WHERE r.root = s.root AND r.remote = s.remote AND (r.readers = ANY ((SELECT memctl.roles())::name[]) OR r.writers = ANY ((SELECT memctl.roles())::name[])))
$$;

-- How many chunks each term is in, of the stores wanted that the person may read.
CREATE FUNCTION memctl.count_terms(wanted bigint[], names text[]) RETURNS TABLE (term text, chunks bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  WITH mine AS MATERIALIZED (SELECT r.id FROM memctl.readable() r WHERE r.id = ANY (wanted))
  SELECT n.name, c.chunks FROM (SELECT DISTINCT u FROM pg_catalog.unnest(names) u) n(name) CROSS JOIN LATERAL (
    SELECT pg_catalog.sum(t.chunks)::bigint FROM memctl.terms t
    WHERE t.term = n.name AND (t.store IN (SELECT m.id FROM mine m)) IS TRUE) c(chunks)
  WHERE c.chunks IS NOT NULL
$$;

-- The chunks with at least one of the terms, those with the heaviest terms first, and what stands before and
-- after the best of them in their session or file.
CREATE FUNCTION memctl.find_words(wanted bigint[], any_of tsquery, each tsquery[], weights real[], tiers text[], conversations text[],
  categories text[], wanted_tags text[], since timestamptz, most int, closely int, reach int) RETURNS SETOF memctl.chunks
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
  WITH mine AS MATERIALIZED (SELECT r.id FROM memctl.readable() r WHERE r.id = ANY (wanted)),
  found AS MATERIALIZED (
    SELECT c.id, c.store, c.together, c.conversation, c.written, c.seq,
      (SELECT sum(q.weight) FROM unnest(each, weights) AS q(term, weight) WHERE c.words @@ q.term) AS score
    FROM memctl.chunks c
    WHERE c.words @@ any_of
      AND (c.store IN (SELECT m.id FROM mine m)) IS TRUE -- as a filter: the planner would search the index on words once for each store
      AND (tiers IS NULL OR c.tier = ANY (tiers)) AND (conversations IS NULL OR c.conversation = ANY (conversations))
      AND (categories IS NULL OR c.category = ANY (categories)) AND (wanted_tags IS NULL OR c.tags && wanted_tags)
      AND (since IS NULL OR c.written >= since)
    ORDER BY score DESC NULLS LAST, c.written DESC NULLS LAST, c.id LIMIT most),
  best AS (SELECT f.* FROM found f ORDER BY f.score DESC NULLS LAST, f.written DESC NULLS LAST, f.id LIMIT closely)
  SELECT c.* FROM memctl.chunks c WHERE c.id IN (
    SELECT f.id FROM found f
    UNION ALL SELECT n.id FROM best b CROSS JOIN LATERAL (
      (SELECT p.id FROM memctl.chunks p WHERE p.together <> '' AND p.store = b.store AND p.together = b.together AND p.conversation = b.conversation
        AND (p.written, p.seq) < (b.written, b.seq) ORDER BY p.written DESC, p.seq DESC LIMIT reach)
      UNION ALL
      (SELECT p.id FROM memctl.chunks p WHERE p.together <> '' AND p.store = b.store AND p.together = b.together AND p.conversation = b.conversation
        AND (p.written, p.seq) > (b.written, b.seq) ORDER BY p.written, p.seq LIMIT reach)) n
    WHERE b.together <> '')
$$;

REVOKE ALL ON FUNCTION memctl.readable(), memctl.count_terms(bigint[], text[]),
  memctl.find_words(bigint[], tsquery, tsquery[], real[], text[], text[], text[], text[], timestamptz, int, int, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memctl.readable(), memctl.count_terms(bigint[], text[]),
  memctl.find_words(bigint[], tsquery, tsquery[], real[], text[], text[], text[], text[], timestamptz, int, int, int) TO memctl_person;
GRANT CREATE ON SCHEMA memctl TO memctl_search;
ALTER FUNCTION memctl.readable() OWNER TO memctl_search;
ALTER FUNCTION memctl.count_terms(bigint[], text[]) OWNER TO memctl_search;
ALTER FUNCTION memctl.find_words(bigint[], tsquery, tsquery[], real[], text[], text[], text[], text[], timestamptz, int, int, int) OWNER TO memctl_search;
REVOKE CREATE ON SCHEMA memctl FROM memctl_search;
