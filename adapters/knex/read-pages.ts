import type { Knex } from 'knex';
import type { PetPage, PetQuery } from '../../core';
import { toError } from './database-error';
import { petColumns, petFromRow, type PetRow } from './pet-rows';

const identityOf = ({ limit, after, status }: PetQuery): string =>
  `${limit} ${after?.toString() ?? ''} ${status ?? ''}`;

const readPage = async (reads: Knex, { limit, after, status }: PetQuery): Promise<PetPage> => {
  const query = reads('pets')
    .select<ReadonlyArray<PetRow>>(reads.raw(petColumns))
    .orderBy('pets.id')
    .limit(limit + 1);
  if (after !== undefined) void query.where('pets.id', '>', after.toString());
  if (status !== undefined) void query.where('status', status);
  const rows = await query;
  return { pets: rows.slice(0, limit).map(petFromRow), hasMore: rows.length > limit };
};

/** Reads each distinct page once; all who asked for it get the same object. */
export const readPages =
  (reads: Knex) =>
  (queries: ReadonlyArray<PetQuery>): Promise<ReadonlyArray<PetPage | Error>> => {
    const pages = new Map<string, Promise<PetPage | Error>>();
    return Promise.all(
      queries.map((query) => {
        const identity = identityOf(query);
        const page = pages.get(identity) ?? readPage(reads, query).catch(toError);
        pages.set(identity, page);
        return page;
      }),
    );
  };
