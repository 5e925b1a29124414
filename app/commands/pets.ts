import { Command, Option } from 'commander';
import * as E from 'fp-ts/Either';
import { serializePet } from '../../adapters/json';
import { mayBeCommitted } from '../../adapters/knex';
import { deletePet, type FieldRule, newPetRules, type Pet, petFieldNames, updatePet } from '../../core';
import { CommandFailed, orFail } from '../failures';
import { withStore } from '../store/with-store';
import type { Terminal } from '../terminal/terminal';
import { counted, escapeControlCharacters, toPrintableJson } from '../terminal/text';
import { openSource } from '../transfer/files';
import { readIds } from '../transfer/ids';
import { failUsage, fieldOption, nonEmpty, parseId } from './arguments';
import { listPetsCommand } from './list-pets';
import { runOnStore } from './run-command';
import { type LongCommand, runLongCommand } from './run-long-command';

interface Options {
  readonly json?: boolean;
}

interface RemoveOptions extends Options {
  readonly ids?: string;
}

const textOf = (value: Pet[keyof Pet]): string =>
  typeof value === 'string' ? toPrintableJson(value) : String(value);

const printPet = ({ write }: Terminal, pet: Pet, json = false): void => {
  const fields = petFieldNames.filter((name) => pet[name] !== undefined);
  const text = json
    ? escapeControlCharacters(serializePet(pet))
    : fields.map((name) => `${name}: ${textOf(pet[name])}`).join('\n');
  write(`${text}\n`);
};

const jsonOption = (): Option => new Option('--json', 'print the animal as JSON');

const get = (terminal: Terminal): Command =>
  new Command('get')
    .description('print one animal')
    .argument('<id>', 'id of the animal', parseId)
    .addOption(jsonOption())
    .action((id: bigint, { json }: Options) =>
      runOnStore(terminal, 'read', async ({ pets }) => {
        printPet(terminal, await orFail(pets.find(id)), json);
      }),
    );

/** Command-line options of each field. Commander returns the field's value in the property `key`. */
const fieldOptions = Object.entries<FieldRule>(newPetRules).map(([field, rule]) => {
  const option = fieldOption(field, rule, `new ${field}`);
  const removal = rule.required ? [] : [new Option(`--no-${option.name()}`, `remove the ${field}`)];
  return { field, key: option.attributeName(), options: [option, ...removal] };
});

const update = (terminal: Terminal): Command => {
  const command = new Command('update')
    .description('correct fields of an animal, also while the service runs, and print it')
    .argument('<id>', 'id of the animal', parseId)
    .addOption(jsonOption())
    .action(async (id: bigint, options: Options & Readonly<Record<string, unknown>>, self: Command) => {
      const changes = fieldOptions.flatMap(({ field, key }) =>
        options[key] === undefined ? [] : [[field, options[key] === false ? null : options[key]]],
      );
      if (changes.length === 0) return failUsage(self, 'add an option that says what to change');
      await runOnStore(terminal, 'write', async ({ pets }) => {
        printPet(terminal, await orFail(updatePet(pets, id, Object.fromEntries(changes))), options.json);
      });
    });
  for (const option of fieldOptions.flatMap(({ options }) => options)) command.addOption(option);
  return command;
};

/** Deletes the animals whose ids are in a file, all or none. */
const deleteAll = async (
  file: string,
  json: boolean,
  { settings, signal, terminal, showProgress, setRemains }: LongCommand,
): Promise<string> => {
  const ids = await readIds(openSource(file, signal));
  let passed = 0;
  showProgress(() => ({ count: passed, noun: 'animal', share: passed / Math.max(ids.length, 1) }));
  function* passing(): Generator<bigint> {
    for (const id of ids) {
      signal.throwIfAborted();
      passed += 1;
      yield id;
    }
  }
  const deleted = await withStore(settings, 'write', { ...terminal, signal }, async ({ pets }) => {
    const result = await pets.deleteByIds(passing())();
    if (E.isRight(result)) return result.right;
    if (mayBeCommitted(result.left.cause))
      setRemains(() => 'either all were deleted or none; repeat the command');
    throw new CommandFailed(result.left);
  });
  if (json) terminal.print(json, { deleted, ids: ids.length }, '');
  const missing = ids.length - deleted;
  const text = `${counted(deleted, 'animal')} deleted`;
  return missing === 0 ? text : `${text}; ${counted(missing, 'id')} had no animal`;
};

const remove = (terminal: Terminal): Command =>
  new Command('delete')
    .description('delete an animal, also while the service runs, and print it as it was')
    .argument('[id]', 'id of the animal', parseId)
    .option(
      '--ids <file>',
      'delete all animals whose ids are in a file, or none; - for standard input',
      nonEmpty,
    )
    .addOption(jsonOption())
    .action(async (id: bigint | undefined, { ids, json = false }: RemoveOptions, self: Command) => {
      if ((id === undefined) === (ids === undefined))
        return failUsage(self, 'name either the id of an animal or a file with --ids');
      if (ids !== undefined)
        return runLongCommand(
          terminal,
          () => 'nothing was deleted',
          (context) => deleteAll(ids, json, context),
        );
      if (id !== undefined)
        await runOnStore(terminal, 'write', async ({ pets }) => {
          const pet = await orFail(deletePet(pets, id));
          if (pet !== undefined) printPet(terminal, pet, json);
          terminal.printMessage(
            `animal ${id} deleted${pet === undefined ? ', which could not be read' : ''}`,
          );
        });
    });

export const petsCommand = (terminal: Terminal): Command =>
  new Command('pets')
    .description('list, print, correct and delete animals')
    .addCommand(listPetsCommand(terminal))
    .addCommand(get(terminal))
    .addCommand(update(terminal))
    .addCommand(remove(terminal));
