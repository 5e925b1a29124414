#!/bin/sh
# Creates the roles and the database of the service, as the administrator of a new server. The image of PostgreSQL runs
# the script at its first start. The files in the folder SECRETS have the passwords.
set -eu
secrets=${SECRETS:-/run/secrets}
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres \
  --set=owner_password="$(cat "$secrets/owner-password")" \
  --set=service_password="$(cat "$secrets/service-password")" <<'END'
create role animals_owner login password :'owner_password';
create role animals login password :'service_password';
create database animals owner animals_owner;
\connect animals
grant usage on schema public to animals;
-- Grants rights on all tables and sequences that the migrations create.
alter default privileges for role animals_owner in schema public grant select, insert, update, delete on tables to animals;
alter default privileges for role animals_owner in schema public grant usage, select on sequences to animals;
END
