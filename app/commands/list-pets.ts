import { Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/Either';
import { serializePet } from '../../adapters/json';
import {
  defaultPageSize,
  type ListOrder,
  listOrders,
  pageSizeCheck,
  pageSizeFromText,
  type Pet,
  type PetFilters,
  petFieldNames,
  type PetRepository,
  walkPages,
} from '../../core';
import { CommandFailed } from '../failures';
import { cellText, tableText } from '../terminal/table';
import type { Terminal } from '../terminal/terminal';
import { counted, escapeControlCharacters, grouped } from '../terminal/text';
import { filterOptions, filtersOf, nonEmpty, parseId } from './arguments';
import { runOnStore } from './run-command';

interface Options extends PetFilters {
  readonly name?: string;
  readonly limit: number;
  readonly after?: bigint;
  readonly order?: ListOrder;
  readonly json?: boolean;
}

const parseLimit = (text: string): number => {
  const limit = pageSizeFromText(text);
  if (limit === undefined || pageSizeCheck.decode(limit) === undefined)
    throw new InvalidArgumentError(`must be ${pageSizeCheck.explain(text).expected}`);
  return limit;
};

/** Maximum number of animals that a search by name reads. A search is limited, because no index finds names. */
const maxRead = 100_000;

interface Found {
  readonly pets: ReadonlyArray<Pet>;
  readonly read: number;
  /** Id for `--after` that continues the search. Undefined if all animals were read. */
  readonly last?: bigint;
}

const search = async (list: PetRepository['list'], options: Options): Promise<Found> => {
  const { name = '', limit, after, order = 'asc' } = options;
  const pets: Array<Pet> = [];
  let read = 0;
  for await (const page of walkPages(list, { ...filtersOf(options), order, after })) {
    if (E.isLeft(page)) throw new CommandFailed(page.left);
    for (const pet of page.right.pets) {
      if (pets.length === limit || read === maxRead)
        return { pets, read, last: pet.id - (order === 'asc' ? 1n : -1n) };
      read += 1;
      if (pet.name.includes(name)) pets.push(pet);
    }
  }
  return { pets, read };
};

const textsOf = (pet: Pet): ReadonlyArray<string> =>
  petFieldNames.map((field) => {
    const value = pet[field];
    return typeof value === 'string' ? cellText(value) : String(value ?? '');
  });

export const listPetsCommand = (terminal: Terminal): Command => {
  const command = new Command('list')
    .description('print animals in the order of their ids')
    .option(
      '--name <text>',
      `only animals whose name has this text; reads at most ${grouped(maxRead)} animals`,
      nonEmpty,
    )
    .option('--limit <limit>', 'maximum number of animals to print', parseLimit, defaultPageSize)
    .option('--after <id>', 'only animals after this id', parseId)
    .addOption(new Option('--order <order>', 'desc prints the newest first').choices(listOrders))
    .option('--json', 'print each animal as JSON in a line')
    .action((options: Options) =>
      runOnStore(terminal, 'read', async ({ pets: { list } }) => {
        const { pets, read, last } = await search(list, options);
        const header = petFieldNames.map((field) => field.replace(/Id$/, '').toUpperCase());
        const lines =
          options.json === true
            ? pets.map((pet) => escapeControlCharacters(serializePet(pet))).join('\n')
            : await tableText(header, pets.map(textsOf), {
                flexible: petFieldNames.indexOf('name'),
                columns: terminal.columns,
              });
        if (pets.length > 0) terminal.write(`${lines}\n`);
        const rest = last === undefined ? '' : `; for more, add --after ${last}`;
        const searched = options.name === undefined ? '' : ` of ${grouped(read)} read`;
        terminal.printMessage(`${counted(pets.length, 'animal')}${searched}${rest}`);
      }),
    );
  for (const option of filterOptions('only animals with this value')) command.addOption(option);
  return command;
};
