import { Command } from 'commander';
import type { Change, Creation } from '../../adapters/knex';
import { CommandFailed, orFail } from '../failures';
import type { CommandStore } from '../store/with-store';
import type { Terminal } from '../terminal/terminal';
import { counted, escapeControlCharacters, toPrintableJson } from '../terminal/text';
import { failUsage, nonEmpty, parseId } from './arguments';
import { runOnStore } from './run-command';

interface Options {
  readonly pet?: bigint;
  readonly key?: string;
  readonly json?: boolean;
}

type Entry = Creation | Change;

const beforeText = ({ before }: Change): string =>
  before === undefined
    ? ''
    : `; before: ${Object.entries(before)
        .filter(([, value]) => value !== null)
        .map(([field, value]) => `${field} ${toPrintableJson(value)}`)
        .join(', ')}`;

const creationText = ({ petId, createdAt, createdBy, isDeleted }: Creation): string =>
  createdAt === null
    ? `animal ${petId} was created by an earlier version, which kept no record`
    : `${createdAt}  animal ${petId} created by ${createdBy ?? 'a program'}${isDeleted === true ? ', and deleted since' : ''}`;

const replacementText = ({ keyId, replacedKeyId }: Change): string =>
  replacedKeyId === undefined ? '' : `; key ${keyId ?? ''} replaces key ${replacedKeyId}`;

const textOf = (entry: Entry): string =>
  'changedAt' in entry
    ? `${entry.changedAt}  ${entry.action} by ${entry.operator ?? 'a program'}${replacementText(entry)}${beforeText(entry)}`
    : creationText(entry);

const historyOfPet = async ({ changes }: CommandStore, id: bigint): Promise<ReadonlyArray<Entry>> => {
  const history = await orFail(changes.ofPet(id));
  return history.creation === undefined ? [] : [history.creation, ...history.changes];
};

/** Yields the changes of a key, and then the animals that the key added, in batches. */
async function* historyOfKey({ changes }: CommandStore, id: string): AsyncGenerator<ReadonlyArray<Entry>> {
  yield await orFail(changes.ofKey(id));
  // Reads the deleted animals last, so that an animal that is deleted during the search is still found.
  for (const search of [changes.creationsBy, changes.deletionsBy]) {
    let after: string | undefined;
    do {
      const { creations, last } = await orFail(search(id, after));
      yield creations;
      after = last;
    } while (after !== undefined);
  }
}

export const logCommand = (terminal: Terminal): Command =>
  new Command('log')
    .description(
      'print who created and changed an animal, or who issued a key, its successor, and what it created',
    )
    .option('--pet <id>', 'id of an animal, also of a deleted one', parseId)
    .option('--key <id>', 'id of a key, as `keys list` shows it; reads all animals', nonEmpty)
    .option('--json', 'print each line as JSON')
    .action(({ pet, key, json = false }: Options, self: Command) => {
      if ((pet === undefined) === (key === undefined))
        return failUsage(self, 'name either an animal with --pet or a key with --key');
      const lineOf = (entry: Entry): string =>
        `${json ? toPrintableJson(entry) : escapeControlCharacters(textOf(entry))}\n`;
      return runOnStore(terminal, 'read', async (store) => {
        let count = 0;
        const history = pet === undefined ? historyOfKey(store, key ?? '') : [await historyOfPet(store, pet)];
        for await (const entries of history) {
          terminal.write(entries.map(lineOf).join(''));
          count += entries.length;
        }
        const subject =
          pet === undefined ? `key ${key ?? ''}; \`animal-store keys list\` shows the ids` : `animal ${pet}`;
        if (count === 0) throw new CommandFailed({ _tag: 'NoRecord', subject });
        terminal.printMessage(counted(count, 'record'));
      });
    });
