import type { Database } from '../../../adapters/knex';

/** Has each read of PostgreSQL's animals take so many seconds, and see those that were there when it began. */
export const slowPets = async ({ writes }: Database, seconds: number): Promise<void> => {
  await writes.raw('alter table pets rename to stored_pets');
  await writes.raw(
    `create function slow_pets() returns setof stored_pets language plpgsql stable as $$ begin
       perform pg_sleep(${seconds});
       return query select * from stored_pets;
     end $$`,
  );
  await writes.raw('create view pets as select * from slow_pets()');
  await writes.raw(
    `create function add_pet() returns trigger language plpgsql as $$ begin
       new.id = coalesce(new.id, nextval('pets_id_seq'));
       insert into stored_pets select new.*;
       return new;
     end $$`,
  );
  await writes.raw(
    'create trigger add_pet instead of insert on pets for each row execute function add_pet()',
  );
};
