-- The roles of memctl. memctl_owner owns the tables, memctl_search owns the functions that search
-- them, and each person's role is a member of memctl_person. None of the three can log in.
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['memctl_owner', 'memctl_search', 'memctl_person'] LOOP
    IF to_regrole(wanted) IS NULL THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
    END IF;
  END LOOP;
  -- Whoever sets memctl up without being a superuser becomes a member, to make objects for them.
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    EXECUTE format('GRANT memctl_owner, memctl_search, memctl_person TO %I', current_user);
  END IF;
  -- The search path is empty here, so that the extension's schema is named. Without the
  -- extension, or the right to create it, memctl searches by words alone.
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector' AND installed_version IS NULL) THEN
    BEGIN
      CREATE EXTENSION vector SCHEMA public;
    EXCEPTION WHEN insufficient_privilege THEN
      RAISE NOTICE 'no right to create the extension vector';
    END;
  END IF;
END
$$;
CREATE SCHEMA IF NOT EXISTS memctl;
ALTER SCHEMA memctl OWNER TO memctl_owner;
GRANT USAGE ON SCHEMA memctl TO memctl_person, memctl_search;

-- Row-level security of a table whose rows follow their store: whoever may push the store reads and changes them, and with
-- for_readers everyone who reads the store reads them. The inner select sees what its own policy lets through.
CREATE OR REPLACE FUNCTION pg_temp.follow_store(part regclass, for_readers boolean) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part);
  EXECUTE format('CREATE POLICY push ON %s USING (store IN (SELECT w.id FROM memctl.writable w)) WITH CHECK (store IN (SELECT w.id FROM memctl.writable w))', part);
  EXECUTE format('CREATE POLICY search ON %s FOR SELECT TO memctl_search USING (true)', part);
  IF for_readers THEN
    EXECUTE format('CREATE POLICY read ON %s FOR SELECT USING (store IN (SELECT s.id FROM memctl.stores s))', part);
  END IF;
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO memctl_person', part);
  EXECUTE format('GRANT SELECT ON %s TO memctl_search', part);
END
$$;
