-- One row says which migrations were applied.
CREATE TABLE memctl.migrations (
  version int PRIMARY KEY,
  applied timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON memctl.migrations TO memctl_person;

-- The roles whose rights the session's own role has, whatever it was set to since. It goes from role to role, because a
-- company has thousands of them. It is in plpgsql, which keeps the plan for the next question of the connection. Policies call it in a select of its own, so that it runs once for each statement.
CREATE FUNCTION memctl.roles() RETURNS name[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $$
BEGIN
  IF (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = session_user) THEN
    RETURN ARRAY(SELECT r.rolname FROM pg_roles r);
  END IF;
  RETURN ARRAY(
    WITH RECURSIVE member(oid) AS (
      SELECT r.oid FROM pg_roles r WHERE r.rolname = session_user
      UNION SELECT m.roleid FROM member JOIN pg_auth_members m ON m.member = member.oid)
    SELECT pg_get_userbyid(m.oid) FROM member m WHERE pg_has_role(session_user, m.oid, 'USAGE'));
END
$$;
GRANT EXECUTE ON FUNCTION memctl.roles() TO memctl_person, memctl_search;

-- A repository that is shared by a group: who may read its project's rows, and who may push them.
CREATE TABLE memctl.repositories (
  root text NOT NULL,   -- its first commit; nothing where its remote is on a host
  remote text NOT NULL, -- its remote's address without credentials, or nothing
  readers name NOT NULL,
  writers name NOT NULL,
  PRIMARY KEY (root, remote)
);
CREATE INDEX repositories_readers ON memctl.repositories (readers);
CREATE INDEX repositories_writers ON memctl.repositories (writers);
ALTER TABLE memctl.repositories ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
-- Only an administrator, as memctl_owner, says which group shares a repository.
CREATE POLICY administer ON memctl.repositories TO memctl_owner USING (true) WITH CHECK (true);
CREATE POLICY read ON memctl.repositories FOR SELECT USING (readers = ANY ((SELECT memctl.roles())::name[]) OR writers = ANY ((SELECT memctl.roles())::name[]));
CREATE POLICY search ON memctl.repositories FOR SELECT TO memctl_search USING (true);
GRANT SELECT ON memctl.repositories TO memctl_person, memctl_search;
