-- What the migrations made belongs to memctl_owner, but for the functions of memctl_search.
DO $$
DECLARE
  made record;
BEGIN
  FOR made IN SELECT c.relname, c.relkind FROM pg_class c WHERE c.relnamespace = 'memctl'::regnamespace AND c.relkind IN ('r', 'v') LOOP
    EXECUTE format('ALTER %s memctl.%I OWNER TO memctl_owner', CASE made.relkind WHEN 'r' THEN 'TABLE' ELSE 'VIEW' END, made.relname);
  END LOOP;
  FOR made IN SELECT p.oid::regprocedure AS name FROM pg_proc p WHERE p.pronamespace = 'memctl'::regnamespace AND NOT p.prosecdef LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO memctl_owner', made.name);
  END LOOP;
END
$$;
