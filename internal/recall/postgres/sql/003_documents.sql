-- A document is what is sent again as a whole if its hash changes: a file of memory, of which chunks are made, a version of a
-- skill, or a context file. Readers need none of it.
CREATE TABLE memctl.documents (
  store bigint NOT NULL REFERENCES memctl.stores ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('memory', 'skill', 'context')),
  path text NOT NULL, -- of a skill NAME or NAME@COMMIT, of a context file AGENT/USER/NAME
  hash bytea NOT NULL,
  commit text NOT NULL,
  PRIMARY KEY (store, kind, path)
);
SELECT pg_temp.follow_store('memctl.documents', false);
-- Context files have an owner, also where somebody pushes them to a group's store.
CREATE POLICY owned ON memctl.documents AS RESTRICTIVE USING (kind <> 'context' OR store IN (SELECT s.id FROM memctl.stores s WHERE s.owner = session_user));

-- The files of skills and context files.
CREATE TABLE memctl.files (
  store bigint NOT NULL,
  kind text NOT NULL,
  document text NOT NULL,
  path text NOT NULL, -- in the folder of the skill; of a context file its name
  content bytea NOT NULL,
  PRIMARY KEY (store, kind, document, path),
  FOREIGN KEY (store, kind, document) REFERENCES memctl.documents ON DELETE CASCADE
);
SELECT pg_temp.follow_store('memctl.files', false);
