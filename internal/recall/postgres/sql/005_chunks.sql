CREATE TABLE memctl.chunks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  store bigint NOT NULL REFERENCES memctl.stores ON DELETE CASCADE,
  document text NOT NULL, -- its path
  path text NOT NULL,     -- with #L1-L9 where the chunk is a part
  name text NOT NULL,     -- an item's key, or an entry's id
  tier text NOT NULL,
  conversation text NOT NULL,
  session text NOT NULL,
  speaker text NOT NULL,
  category text NOT NULL,
  tags text[] NOT NULL,
  topics text[] NOT NULL,
  written timestamptz,
  seq bigint NOT NULL,    -- the order of chunks of one time
  together text NOT NULL, -- the session or file that it is a part of; '' for none
  weight real NOT NULL,
  confidence real NOT NULL,
  pinned boolean NOT NULL,
  expires date,           -- the first day on which nobody finds it
  text text NOT NULL,
  hash bytea NOT NULL,    -- of the text, which names its vector
  length int NOT NULL,    -- in terms
  -- memctl's own terms of text and labels. As with the configuration simple, the server adds no stemming.
  words tsvector NOT NULL
) WITH (toast_tuple_target = 4080); -- a search reads words, which would otherwise be compressed in most rows
CREATE INDEX chunks_document ON memctl.chunks (store, document);
CREATE INDEX chunks_together ON memctl.chunks (store, together, written, seq) WHERE together <> '';
-- New chunks wait in a list that searches read as well, up to 1 MB, since entering many at once costs less.
CREATE INDEX chunks_words ON memctl.chunks USING gin (words) WITH (fastupdate = on, gin_pending_list_limit = 1024);
SELECT pg_temp.follow_store('memctl.chunks', true);

-- Replaces the chunks of some files by those of a batch, a JSON array of rows, and counts the words of both. It runs with the
-- caller's rights.
CREATE FUNCTION memctl.replace_chunks(number bigint, files text[], batch json) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET work_mem = '64MB' SET jit = off
AS $$
BEGIN
  WITH cut AS (DELETE FROM memctl.chunks c WHERE c.store = number AND c.document = ANY (files) RETURNING c.words, c.length),
  sent AS (
    INSERT INTO memctl.chunks (store, document, path, name, tier, conversation, session, speaker, category, tags, topics, written, seq,
      together, weight, confidence, pinned, expires, text, hash, length, words)
    SELECT number, c.document, c.path, c.name, c.tier, c.conversation, c.session, c.speaker, c.category, c.tags, c.topics, c.written, c.seq,
      c.together, c.weight, c.confidence, c.pinned, c.expires, c.text, c.hash, c.length, c.words || array_to_tsvector(ARRAY['@' || s.readers])
    FROM memctl.stores s CROSS JOIN json_populate_recordset(NULL::memctl.chunks, batch) c WHERE s.id = number
    RETURNING words, length),
  sizes AS MATERIALIZED (
    SELECT a.n AS added, r.n AS removed, a.length - r.length AS length
    FROM (SELECT count(*) AS n, coalesce(sum(s.length), 0) AS length FROM sent s) a, (SELECT count(*) AS n, coalesce(sum(c.length), 0) AS length FROM cut c) r),
  steps AS (
    SELECT w.word, sum(w.n)::int AS n
    FROM (SELECT unnest(tsvector_to_array(s.words)) AS word, 1 AS n FROM sent s UNION ALL SELECT unnest(tsvector_to_array(c.words)), -1 FROM cut c) w
    WHERE NOT starts_with(w.word, '@') GROUP BY w.word HAVING sum(w.n) <> 0),
  counted AS (
    INSERT INTO memctl.term_changes (readers, chunks, rare, names, counts)
    SELECT s.readers, z.added + z.removed, t.rare, t.names, t.counts
    FROM memctl.stores s CROSS JOIN sizes z CROSS JOIN LATERAL (
      SELECT abs(t.n) <= greatest(z.added / 100, 1) AS rare, array_agg(t.word) AS names, array_agg(t.n) AS counts FROM steps t GROUP BY 1) t
    WHERE s.id = number)
  UPDATE memctl.stores s SET chunks = s.chunks + z.added - z.removed, length = s.length + z.length FROM sizes z WHERE s.id = number;
END
$$;
GRANT EXECUTE ON FUNCTION memctl.replace_chunks(bigint, text[], json) TO memctl_person;

-- A chunk as a search gives it, with what a hit says of its store. Reading a row by its place costs one page, and by its id four.
CREATE VIEW memctl.found WITH (security_invoker = true) AS
  SELECT c.ctid AS place, c.store, s.scope, s.root, s.remote, s.name AS repository, coalesce(s.owner, '') AS owner, s.model, c.document, c.path, c.name, c.tier,
    c.conversation, c.session, c.speaker, c.category, c.tags, c.topics, c.written, c.seq, c.weight, c.confidence, c.pinned, c.text
  FROM memctl.chunks c JOIN memctl.stores s ON s.id = c.store WHERE c.expires IS NULL OR c.expires > (now() AT TIME ZONE 'UTC')::date;
GRANT SELECT ON memctl.found TO memctl_person, memctl_search;

-- The chunks that match any_of, those with the heaviest terms first, and the chunks before and after the best of them in their
-- session or file. memctl ranks them. The score is BM25's but for how often a term is in a chunk. Without it all chunks that
-- match would have to be sent with all their neighbours, which costs more than twice as much. The function is in plpgsql because
-- that keeps the plan for the next question of the connection.
CREATE FUNCTION memctl.find_words(only_scope text, elsewhere text[], trusted text[], any_of tsquery, each tsquery[], weights real[],
  tiers text[], conversations text[], categories text[], wanted_tags text[], since timestamptz, mean real, most int, closely int, reach int)
  RETURNS SETOF memctl.found
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  mine bigint[];
  few boolean;
BEGIN
  SELECT array_agg(s.id), sum(s.chunks) * 4 < (SELECT t.reltuples FROM pg_class t WHERE t.oid = 'memctl.chunks'::regclass) INTO mine, few
    FROM memctl.readable() s WHERE s.chunks > 0 AND memctl.asked(s, only_scope, elsewhere, trusted);
  IF few THEN -- the index then leaves out most chunks of other people, which the filter on stores would read first
    any_of := any_of && (SELECT string_agg(DISTINCT '''' || replace(replace('@' || s.readers, '\', '\\'), '''', '''''') || '''', ' | ')
      FROM memctl.stores s WHERE s.id = ANY (mine))::tsquery;
  END IF;
  RETURN QUERY
  WITH matched AS MATERIALIZED (
    SELECT c.ctid AS place, c.id, c.store, c.together, c.conversation, c.written, c.seq,
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
      AND (since IS NULL OR c.written >= since) AND (c.expires IS NULL OR c.expires > (now() AT TIME ZONE 'UTC')::date)
    ORDER BY score DESC, c.written DESC NULLS LAST, c.id LIMIT most),
  best AS (SELECT m.* FROM matched m ORDER BY m.score DESC, m.written DESC NULLS LAST, m.id LIMIT closely)
  SELECT f.* FROM memctl.found f WHERE f.place = ANY (ARRAY(
    SELECT m.place FROM matched m
    UNION ALL SELECT n.place FROM best b CROSS JOIN LATERAL (
      (SELECT p.ctid AS place FROM memctl.chunks p WHERE p.together <> '' AND p.store = b.store AND p.together = b.together AND p.conversation = b.conversation
        AND (p.written, p.seq) < (b.written, b.seq) ORDER BY p.written DESC, p.seq DESC LIMIT reach)
      UNION ALL
      (SELECT p.ctid FROM memctl.chunks p WHERE p.together <> '' AND p.store = b.store AND p.together = b.together AND p.conversation = b.conversation
        AND (p.written, p.seq) > (b.written, b.seq) ORDER BY p.written, p.seq LIMIT reach)) n
    WHERE b.together <> ''));
END
$$;
GRANT EXECUTE ON FUNCTION memctl.find_words(text, text[], text[], tsquery, tsquery[], real[], text[], text[], text[], text[], timestamptz, real, int, int, int) TO memctl_person;

-- Takes a store that is removed off the counts of those who read it. They may be a group that the repository has left, whose
-- counts the caller may not change, so it runs as memctl_search. The policies on memctl.stores have said that the caller may remove the store.
CREATE FUNCTION memctl.uncount_store() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  INSERT INTO memctl.term_changes (readers, chunks, rare, names, counts)
    SELECT OLD.readers, (SELECT count(*) FROM memctl.chunks c WHERE c.store = OLD.id), true, array_agg(t.word), array_agg(-t.ndoc)
    FROM ts_stat(format('SELECT words FROM memctl.chunks WHERE store = %s', OLD.id)) t WHERE t.word NOT LIKE '@%' HAVING count(*) > 0;
  PERFORM memctl.fold_terms(OLD.readers, true); -- the words of the store are to be in no table
  RETURN OLD;
END
$$;
CREATE TRIGGER uncount BEFORE DELETE ON memctl.stores FOR EACH ROW EXECUTE FUNCTION memctl.uncount_store();

-- Removes all rows of a person, whose name a new role would inherit them by. Only an administrator may call it.
CREATE FUNCTION memctl.remove_person(person text) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  DELETE FROM memctl.stores s WHERE s.owner = person;
  DELETE FROM memctl.term_changes c WHERE c.readers = 'person ' || person;
  DELETE FROM memctl.terms t WHERE t.readers = 'person ' || person;
$$;
GRANT EXECUTE ON FUNCTION memctl.remove_person(text) TO memctl_owner;
