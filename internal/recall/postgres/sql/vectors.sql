-- Vectors of texts, by the hash of the text: a text that is in several chunks has one. They are compared by the extension vector
-- in the schema public; without it there is no table.
DO $vectors$
BEGIN
  IF to_regtype('public.vector') IS NULL OR to_regclass('memctl.vectors') IS NOT NULL THEN
    RETURN;
  END IF;
  CREATE TABLE memctl.vectors (
    store bigint NOT NULL REFERENCES memctl.stores ON DELETE CASCADE,
    hash bytea NOT NULL,
    embedding public.vector NOT NULL,
    PRIMARY KEY (store, hash)
  );
  CREATE INDEX chunks_hash ON memctl.chunks (store, hash);
  PERFORM pg_temp.follow_store('memctl.vectors', true);

  -- The chunks nearest to a vector, and how near they are: the cosine. It compares the stores of one embedder.
  CREATE FUNCTION memctl.find_near(only_scope text, elsewhere text[], trusted text[], embedder text, near text, tiers text[], conversations text[],
    categories text[], wanted_tags text[], since timestamptz, most int) RETURNS TABLE (chunk memctl.found, nearness double precision)
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    SELECT f, 1 - (v.embedding OPERATOR(public.<=>) near::public.vector) AS nearness
    FROM memctl.readable() s JOIN memctl.vectors v ON v.store = s.id
      JOIN memctl.chunks c ON c.store = v.store AND c.hash = v.hash JOIN memctl.found f ON f.place = c.ctid
    WHERE s.model = embedder AND memctl.asked(s, only_scope, elsewhere, trusted) AND public.vector_dims(v.embedding) = public.vector_dims(near::public.vector)
      AND (tiers IS NULL OR f.tier = ANY (tiers)) AND (conversations IS NULL OR f.conversation = ANY (conversations))
      AND (categories IS NULL OR f.category = ANY (categories)) AND (wanted_tags IS NULL OR f.tags && wanted_tags)
      AND (since IS NULL OR f.written >= since)
    ORDER BY nearness DESC, c.id LIMIT most
  $$;
  GRANT EXECUTE ON FUNCTION memctl.find_near(text, text[], text[], text, text, text[], text[], text[], text[], timestamptz, int) TO memctl_person;
END
$vectors$;
