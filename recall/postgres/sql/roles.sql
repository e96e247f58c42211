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
