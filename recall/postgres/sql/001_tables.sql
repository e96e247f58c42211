-- One row says which migrations were applied.
CREATE TABLE memctl.migrations (
  version int PRIMARY KEY,
  applied timestamptz NOT NULL DEFAULT now()
);

-- A repository that is shared by a group: who may read its project's rows, and who may push them.
CREATE TABLE memctl.repositories (
  root text NOT NULL,   -- its first commit
  remote text NOT NULL, -- its remote's address without credentials, or nothing
  readers name NOT NULL,
  writers name NOT NULL,
  PRIMARY KEY (root, remote)
);

-- A store is what one push sends: a scope of a repository, or the user scope of a person.
CREATE TABLE memctl.stores (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  scope text NOT NULL CHECK (scope IN ('project', 'private', 'user')),
  root text NOT NULL,
  remote text NOT NULL,
  owner name,           -- the person whose rows these are; nobody where a group shares them
  readers text NOT NULL, -- who read it at its first push, as in terms: 'person ada' or 'group backend'
  name text NOT NULL,   -- what hits call the repository
  commit text NOT NULL DEFAULT '', -- of the last push that ended; '' before
  pushed timestamptz,   -- when that was, by the server's clock
  model text NOT NULL DEFAULT '',  -- the embedder of its vectors
  CHECK (owner IS NOT NULL OR scope = 'project')
);
CREATE UNIQUE INDEX stores_identity ON memctl.stores (scope, root, remote, coalesce(owner, ''));

-- A document is a file that chunks were made of. Its hash tells whether it has to be sent again.
CREATE TABLE memctl.documents (
  store bigint NOT NULL REFERENCES memctl.stores ON DELETE CASCADE,
  path text NOT NULL,
  hash bytea NOT NULL,
  commit text NOT NULL,
  PRIMARY KEY (store, path)
);

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
  names text[] NOT NULL,
  counts int[] NOT NULL
);
ALTER TABLE memctl.term_changes ALTER COLUMN names SET STORAGE EXTERNAL, ALTER COLUMN counts SET STORAGE EXTERNAL; -- compressing what goes soon is waste
CREATE INDEX term_changes_readers ON memctl.term_changes (readers);

-- How many chunks a store has, and the sum of their lengths. Each batch of a push changes it.
CREATE TABLE memctl.sizes (
  store bigint PRIMARY KEY REFERENCES memctl.stores ON DELETE CASCADE,
  documents bigint NOT NULL DEFAULT 0,
  chunks bigint NOT NULL DEFAULT 0,
  length bigint NOT NULL DEFAULT 0
);

-- The planner shows what it knows of a column in its estimates, to everyone who may select the
-- column, rows of other people included. It is to know nothing of what people wrote.
ALTER TABLE memctl.stores ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN readers SET STATISTICS 0, ALTER COLUMN root SET STATISTICS 0, ALTER COLUMN remote SET STATISTICS 0,
  ALTER COLUMN owner SET STATISTICS 0, ALTER COLUMN commit SET STATISTICS 0;
ALTER TABLE memctl.repositories ALTER COLUMN root SET STATISTICS 0, ALTER COLUMN remote SET STATISTICS 0,
  ALTER COLUMN readers SET STATISTICS 0, ALTER COLUMN writers SET STATISTICS 0;
ALTER TABLE memctl.documents ALTER COLUMN path SET STATISTICS 0, ALTER COLUMN hash SET STATISTICS 0, ALTER COLUMN commit SET STATISTICS 0;
ALTER TABLE memctl.terms ALTER COLUMN term SET STATISTICS 0, ALTER COLUMN readers SET STATISTICS 0;
ALTER TABLE memctl.term_changes ALTER COLUMN readers SET STATISTICS 0, ALTER COLUMN names SET STATISTICS 0, ALTER COLUMN counts SET STATISTICS 0;
ALTER TABLE memctl.chunks ALTER COLUMN document SET STATISTICS 0, ALTER COLUMN path SET STATISTICS 0, ALTER COLUMN name SET STATISTICS 0,
  ALTER COLUMN conversation SET STATISTICS 0, ALTER COLUMN session SET STATISTICS 0, ALTER COLUMN together SET STATISTICS 0,
  ALTER COLUMN speaker SET STATISTICS 0, ALTER COLUMN category SET STATISTICS 0, ALTER COLUMN tags SET STATISTICS 0,
  ALTER COLUMN topics SET STATISTICS 0, ALTER COLUMN written SET STATISTICS 0, ALTER COLUMN text SET STATISTICS 0,
  ALTER COLUMN hash SET STATISTICS 0, ALTER COLUMN words SET STATISTICS 0;
