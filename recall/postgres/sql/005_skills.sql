-- The skills of a store, and the versions of them that a grant pins. The version '' is the current one.
CREATE TABLE memctl.skills (
  store bigint NOT NULL REFERENCES memctl.stores ON DELETE CASCADE,
  name text NOT NULL,
  version text NOT NULL DEFAULT '', -- the commit that a grant pins
  description text NOT NULL,
  visibility text NOT NULL CHECK (visibility IN ('public', 'private', 'internal')), -- of the current version, in every row
  owner text NOT NULL, -- likewise: a role, or nothing
  hash bytea NOT NULL, -- says whether it has to be sent again
  commit text NOT NULL,
  PRIMARY KEY (store, name, version)
);
CREATE TABLE memctl.skill_files (
  store bigint NOT NULL,
  name text NOT NULL,
  version text NOT NULL,
  path text NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (store, name, version, path),
  FOREIGN KEY (store, name, version) REFERENCES memctl.skills ON DELETE CASCADE
);
-- A grant is for an agent or for a person, who is a role.
CREATE TABLE memctl.skill_grants (
  store bigint NOT NULL REFERENCES memctl.stores ON DELETE CASCADE,
  name text NOT NULL,
  agent text NOT NULL,
  person text NOT NULL,
  version text NOT NULL,    -- the commit that it pins; '' for the current version
  granted_by text NOT NULL, -- the author of the commit with the grant
  PRIMARY KEY (store, name, agent, person),
  CHECK ((agent = '') <> (person = ''))
);
-- Context files of a person: those of their agents, and their own copies.
CREATE TABLE memctl.context_files (
  store bigint NOT NULL REFERENCES memctl.stores ON DELETE CASCADE,
  agent text NOT NULL,
  person text NOT NULL, -- the user of the agent whose copy it is; '' for the agent's own file
  name text NOT NULL,
  content bytea NOT NULL,
  hash bytea NOT NULL,
  commit text NOT NULL,
  PRIMARY KEY (store, agent, person, name)
);
ALTER TABLE memctl.skills ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN version SET STATISTICS 0, ALTER COLUMN description SET STATISTICS 0,
  ALTER COLUMN owner SET STATISTICS 0, ALTER COLUMN hash SET STATISTICS 0, ALTER COLUMN commit SET STATISTICS 0;
ALTER TABLE memctl.skill_files ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN version SET STATISTICS 0, ALTER COLUMN path SET STATISTICS 0,
  ALTER COLUMN content SET STATISTICS 0;
ALTER TABLE memctl.skill_grants ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN agent SET STATISTICS 0, ALTER COLUMN person SET STATISTICS 0,
  ALTER COLUMN version SET STATISTICS 0, ALTER COLUMN granted_by SET STATISTICS 0;
ALTER TABLE memctl.context_files ALTER COLUMN agent SET STATISTICS 0, ALTER COLUMN person SET STATISTICS 0, ALTER COLUMN name SET STATISTICS 0,
  ALTER COLUMN content SET STATISTICS 0, ALTER COLUMN hash SET STATISTICS 0, ALTER COLUMN commit SET STATISTICS 0;

-- Only whoever may push a store reads and changes its rows here. In a repository of a group these are the writers, who have
-- its files. Everyone else asks the functions below: policies that ask each other cost seconds to compile.
DO $$
DECLARE
  part text;
BEGIN
  FOREACH part IN ARRAY ARRAY['skills', 'skill_files', 'skill_grants', 'context_files'] LOOP
    EXECUTE format('ALTER TABLE memctl.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
    EXECUTE format('CREATE POLICY push ON memctl.%I USING (store IN (SELECT w.id FROM memctl.writable w)) WITH CHECK (store IN (SELECT w.id FROM memctl.writable w))', part);
  END LOOP;
  FOREACH part IN ARRAY ARRAY['skills', 'skill_files', 'skill_grants'] LOOP
    EXECUTE format('CREATE POLICY search ON memctl.%I FOR SELECT TO memctl_search USING (true)', part);
  END LOOP;
END
$$;
-- Context files have an owner, also where somebody pushes them to a group's store.
CREATE POLICY owned ON memctl.context_files AS RESTRICTIVE USING (store IN (SELECT s.id FROM memctl.stores s WHERE s.owner = session_user));

GRANT SELECT, INSERT, UPDATE, DELETE ON memctl.skills, memctl.skill_files, memctl.skill_grants, memctl.context_files TO memctl_person;
GRANT SELECT ON memctl.skills, memctl.skill_files, memctl.skill_grants TO memctl_search;

-- These functions run as memctl_search, as those that search do.

-- The skills that the person may use: those of their own stores, and of the stores of their groups those that are public or
-- theirs, and what a grant names. A grant to an agent shows the skill to the whole group, and memctl offers it to that agent alone.
CREATE FUNCTION memctl.usable_skills() RETURNS SETOF memctl.skills
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
  SELECT k.* FROM memctl.skills k JOIN memctl.stores s ON s.id = k.store
  WHERE s.id IN (SELECT r.id FROM memctl.readable() r) AND (
    s.owner = session_user
    OR k.owner = session_user
    OR k.visibility = 'public' AND k.version = ''
    OR k.visibility <> 'private' AND EXISTS (
      SELECT FROM memctl.skill_grants g
      WHERE g.store = k.store AND g.name = k.name AND g.version = k.version AND (g.agent <> '' OR g.person = session_user)))
$$;
-- Of the grants of these skills, those to agents and to the person.
CREATE FUNCTION memctl.usable_grants() RETURNS SETOF memctl.skill_grants
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
  SELECT g.* FROM memctl.skill_grants g JOIN memctl.stores s ON s.id = g.store
  WHERE (g.store, g.name) IN (SELECT k.store, k.name FROM memctl.usable_skills() k)
    AND (g.agent <> '' OR g.person = session_user OR s.owner = session_user)
$$;
-- The files of one of these skills.
CREATE FUNCTION memctl.usable_files(wanted_store bigint, wanted_name text, wanted_version text) RETURNS SETOF memctl.skill_files
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off
AS $$
  SELECT f.* FROM memctl.skill_files f
  WHERE f.store = wanted_store AND f.name = wanted_name AND f.version = wanted_version
    AND EXISTS (SELECT FROM memctl.usable_skills() k WHERE k.store = wanted_store AND k.name = wanted_name AND k.version = wanted_version)
$$;
REVOKE ALL ON FUNCTION memctl.usable_skills(), memctl.usable_grants(), memctl.usable_files(bigint, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memctl.usable_skills(), memctl.usable_grants(), memctl.usable_files(bigint, text, text) TO memctl_person;
GRANT CREATE ON SCHEMA memctl TO memctl_search;
ALTER FUNCTION memctl.usable_skills() OWNER TO memctl_search;
ALTER FUNCTION memctl.usable_grants() OWNER TO memctl_search;
ALTER FUNCTION memctl.usable_files(bigint, text, text) OWNER TO memctl_search;
REVOKE CREATE ON SCHEMA memctl FROM memctl_search;
