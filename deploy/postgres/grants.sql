-- Grants the role of the service its rights on all tables, and on tables of later migrations. Run this script with psql
-- as the owner of the tables, once before or after the first migration, and after a restore. `--set=role=NAME` chooses
-- another role than animals, and `--set=schema=NAME` another schema than that of the session.
\set ON_ERROR_STOP on
\if :{?role}
\else
\set role animals
\endif
\if :{?schema}
\else
select current_schema() as schema \gset
\endif
begin;
grant usage on schema :"schema" to :"role";
grant select, insert, update, delete on all tables in schema :"schema" to :"role";
-- Lets pg_dump read the sequences with this role.
grant usage, select on all sequences in schema :"schema" to :"role";
-- Grants the same rights on tables of later migrations.
alter default privileges in schema :"schema" grant select, insert, update, delete on tables to :"role";
alter default privileges in schema :"schema" grant usage, select on sequences to :"role";
commit;
