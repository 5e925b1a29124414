-- Rights of the service's role. Run it with psql as the owner of the tables, after the first migration and after a
-- restore. `--set=role=NAME` chooses another role than animals.
\set ON_ERROR_STOP on
\if :{?role}
\else
\set role animals
\endif
begin;
grant select, insert, update, delete on all tables in schema public to :"role";
-- pg_dump with this role reads the sequences.
grant usage, select on all sequences in schema public to :"role";
-- Tables of later migrations.
alter default privileges in schema public grant select, insert, update, delete on tables to :"role";
alter default privileges in schema public grant usage, select on sequences to :"role";
commit;
