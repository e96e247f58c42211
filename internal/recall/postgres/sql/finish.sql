-- Tables belong to memctl_owner, and functions to memctl_search if they read every row. Nobody may call one but those that a
-- grant names. The planner shows what it knows of a column in its estimates, to everyone who may select the column, rows of
-- other people included: it is to know nothing of what people wrote.
GRANT CREATE ON SCHEMA memctl TO memctl_search;
DO $$
DECLARE
  made record;
BEGIN
  FOR made IN SELECT c.relname, c.relkind FROM pg_class c WHERE c.relnamespace = 'memctl'::regnamespace AND c.relkind IN ('r', 'v') LOOP
    EXECUTE format('ALTER %s memctl.%I OWNER TO memctl_owner', CASE made.relkind WHEN 'r' THEN 'TABLE' ELSE 'VIEW' END, made.relname);
  END LOOP;
  FOR made IN SELECT p.oid::regprocedure AS name, p.prosecdef FROM pg_proc p WHERE p.pronamespace = 'memctl'::regnamespace LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made.name);
    EXECUTE format('ALTER FUNCTION %s OWNER TO %I', made.name, CASE WHEN made.prosecdef THEN 'memctl_search' ELSE 'memctl_owner' END);
  END LOOP;
  FOR made IN SELECT a.attrelid::regclass AS name, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = 'memctl'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
        AND a.atttypid NOT IN ('bigint'::regtype, 'int'::regtype, 'real'::regtype, 'boolean'::regtype) LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', made.name, made.attname);
  END LOOP;
END
$$;
REVOKE CREATE ON SCHEMA memctl FROM memctl_search;
