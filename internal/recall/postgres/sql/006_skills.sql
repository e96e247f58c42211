-- The skills of a store, and the versions of them that a grant pins. Only whoever may push a store reads and changes its rows
-- here: in a repository of a group these are the writers, who have its files. Everyone else asks the functions below:
-- policies that ask each other cost seconds to compile.
CREATE TABLE memctl.skills (
  store bigint NOT NULL,
  kind text GENERATED ALWAYS AS ('skill') STORED,
  document text NOT NULL,
  name text NOT NULL,
  version text NOT NULL DEFAULT '', -- the commit that a grant pins; '' for the current version
  description text NOT NULL,
  visibility text NOT NULL CHECK (visibility IN ('public', 'private', 'internal')), -- of the current version, in every row
  owner text NOT NULL, -- likewise: a role, or nothing
  PRIMARY KEY (store, document),
  FOREIGN KEY (store, kind, document) REFERENCES memctl.documents ON DELETE CASCADE
);
SELECT pg_temp.follow_store('memctl.skills', false);

-- A grant is for an agent or for a person, who is a role.
CREATE TABLE memctl.skill_grants (
  store bigint NOT NULL,
  name text NOT NULL, -- of the skill, whose current version it goes with
  agent text NOT NULL,
  person text NOT NULL,
  version text NOT NULL, -- the commit that it pins; '' for the current version
  PRIMARY KEY (store, name, agent, person),
  FOREIGN KEY (store, name) REFERENCES memctl.skills ON DELETE CASCADE,
  CHECK ((agent = '') <> (person = ''))
);
SELECT pg_temp.follow_store('memctl.skill_grants', false);

-- The skills that the person may use: those of their own stores, and of the stores of their groups those that are public or
-- theirs, and what a grant names. A grant to an agent shows the skill to the whole group, and memctl offers it to that agent
-- alone. grants are those to agents and to the person.
CREATE FUNCTION memctl.usable_skills() RETURNS TABLE (store bigint, document text, name text, version text, description text, visibility text, owner text,
  hash bytea, scope text, root text, remote text, repository text, grants jsonb)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
  SELECT k.store, k.document, k.name, k.version, k.description, k.visibility, k.owner, d.hash, s.scope, s.root, s.remote, s.name,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('agent', g.agent, 'user', g.person, 'version', g.version) ORDER BY g.agent, g.person), '[]')
      FROM memctl.skill_grants g
      WHERE g.store = k.store AND g.name = k.name AND (g.agent <> '' OR g.person = session_user OR s.owner = session_user))
  FROM memctl.readable() s JOIN memctl.skills k ON k.store = s.id
    JOIN memctl.documents d ON d.store = k.store AND d.kind = 'skill' AND d.path = k.document
  WHERE s.owner = session_user OR k.owner = session_user OR k.visibility = 'public' AND k.version = ''
    OR k.visibility <> 'private' AND EXISTS (
      SELECT FROM memctl.skill_grants g
      WHERE g.store = k.store AND g.name = k.name AND g.version = k.version AND (g.agent <> '' OR g.person = session_user))
$$;
-- The files of one of these skills.
CREATE FUNCTION memctl.usable_files(wanted_store bigint, wanted text) RETURNS TABLE (path text, content bytea)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
  SELECT f.path, f.content FROM memctl.files f
  WHERE f.store = wanted_store AND f.kind = 'skill' AND f.document = wanted
    AND EXISTS (SELECT FROM memctl.usable_skills() k WHERE k.store = wanted_store AND k.document = wanted)
$$;
GRANT EXECUTE ON FUNCTION memctl.usable_skills(), memctl.usable_files(bigint, text) TO memctl_person;
