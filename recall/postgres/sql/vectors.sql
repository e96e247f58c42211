-- Vectors of texts, by the hash of the text: a text that is in several chunks has one. EXTENSION is the schema of the
-- extension vector.
CREATE TABLE memctl.vectors (
  store bigint NOT NULL REFERENCES memctl.stores ON DELETE CASCADE,
  hash bytea NOT NULL,
  embedding EXTENSION.vector NOT NULL,
  PRIMARY KEY (store, hash)
);
CREATE INDEX chunks_hash ON memctl.chunks (store, hash);
ALTER TABLE memctl.vectors ALTER COLUMN hash SET STATISTICS 0, ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE memctl.vectors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY read ON memctl.vectors FOR SELECT USING (store IN (SELECT s.id FROM memctl.stores s));
CREATE POLICY add ON memctl.vectors FOR INSERT WITH CHECK (store IN (SELECT w.id FROM memctl.writable w));
CREATE POLICY change ON memctl.vectors FOR UPDATE USING (store IN (SELECT w.id FROM memctl.writable w)) WITH CHECK (store IN (SELECT w.id FROM memctl.writable w));
CREATE POLICY remove ON memctl.vectors FOR DELETE USING (store IN (SELECT w.id FROM memctl.writable w));
CREATE POLICY search ON memctl.vectors FOR SELECT TO memctl_search USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON memctl.vectors TO memctl_person;
GRANT SELECT ON memctl.vectors TO memctl_search;

-- The chunks nearest to a vector, and how near they are: the cosine.
CREATE FUNCTION memctl.find_near(wanted bigint[], near text, tiers text[], conversations text[], categories text[], wanted_tags text[],
  since timestamptz, most int) RETURNS TABLE (id bigint, nearness double precision)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
  SELECT c.id, 1 - (v.embedding OPERATOR(EXTENSION.<=>) near::EXTENSION.vector) AS nearness
  FROM memctl.vectors v JOIN memctl.chunks c ON c.store = v.store AND c.hash = v.hash
  WHERE v.store = ANY (wanted) AND v.store IN (SELECT r.id FROM memctl.readable() r)
    AND EXTENSION.vector_dims(v.embedding) = EXTENSION.vector_dims(near::EXTENSION.vector)
    AND (tiers IS NULL OR c.tier = ANY (tiers)) AND (conversations IS NULL OR c.conversation = ANY (conversations))
    AND (categories IS NULL OR c.category = ANY (categories)) AND (wanted_tags IS NULL OR c.tags && wanted_tags)
    AND (since IS NULL OR c.written >= since)
  ORDER BY nearness DESC, c.id LIMIT most
$$;
-- Chunks by their numbers, of the stores that the person may read.
CREATE FUNCTION memctl.get_chunks(numbers bigint[]) RETURNS SETOF memctl.chunks
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$ SELECT c.* FROM memctl.chunks c WHERE c.id = ANY (numbers) AND c.store IN (SELECT r.id FROM memctl.readable() r) $$;

REVOKE ALL ON FUNCTION memctl.find_near(bigint[], text, text[], text[], text[], text[], timestamptz, int), memctl.get_chunks(bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memctl.find_near(bigint[], text, text[], text[], text[], text[], timestamptz, int), memctl.get_chunks(bigint[]) TO memctl_person;
GRANT CREATE ON SCHEMA memctl TO memctl_search;
ALTER FUNCTION memctl.find_near(bigint[], text, text[], text[], text[], text[], timestamptz, int) OWNER TO memctl_search;
ALTER FUNCTION memctl.get_chunks(bigint[]) OWNER TO memctl_search;
REVOKE CREATE ON SCHEMA memctl FROM memctl_search;
