import * as E from 'fp-ts/Either';
import { constVoid, pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { importAborted } from '../../../core';
import { asOperator } from '../../backend/as-operator';
import { drained } from '../../terminal/drained';
import { startProgress } from '../../terminal/start-progress';
import type { TransferContext } from '../transfer-context';
import { dryImport } from './dry-import';
import type { Format } from '../rows/format';
import { importRows } from './import-rows';
import { failedImportEnd, type ImportEnd, type ImportFailure, type ImportSummary } from './import-summary';
import { openSource } from './open-source';
import { readRows } from '../rows/read-rows';
import type { Row } from '../rows/row';

interface ImportOptions {
  /** A path, or `-` for standard input. */
  readonly file: string;
  readonly format: Format;
  readonly skipInvalid: boolean;
  /** Checks every row; no database is opened. */
  readonly dryRun: boolean;
}

/** Imports a file, reporting each wrong row and the progress on standard error. It always ends with a summary. */
export const importFile = (
  { file, format, skipInvalid, dryRun }: ImportOptions,
  { settings, terminal, interruption }: TransferContext,
): T.Task<ImportSummary> => {
  const began = performance.now();
  const tally = { rows: 0, wrong: 0 };

  async function* counted(rows: AsyncIterable<Row>, report: (text: string) => void): AsyncGenerator<Row> {
    for await (const row of rows) {
      tally.rows += 1;
      const countWrong = (reason: string): void => {
        tally.wrong += 1;
        report(`line ${row.line}: ${reason}`);
      };
      pipe(row.newPet, E.match(countWrong, constVoid));
      await drained(terminal.stderr, interruption.signal);
      yield row;
    }
  }

  const openRows = async () => {
    const source = await openSource(file, interruption.signal);
    const progress = startProgress(terminal, { count: () => tally.rows, fraction: source.fraction });
    return {
      rows: counted(readRows(format, source.chunks), progress.note),
      close: () => {
        progress.stop();
        source.close();
      },
    };
  };

  const importFrom = (rows: AsyncIterator<Row>): TE.TaskEither<ImportFailure, number> =>
    dryRun
      ? importRows(rows, { importPets: dryImport, skipInvalid })
      : asOperator({ onProgress: terminal.say, interruption: interruption.signal }, ({ importPets }) =>
          importRows(rows, { importPets, skipInvalid }),
        )(settings);

  return pipe(
    TE.bracket(
      TE.tryCatch(openRows, (error): ImportFailure => importAborted(error)),
      ({ rows }) => importFrom(rows),
      ({ close }) => TE.fromIO(close),
    ),
    TE.match(
      (failure) => failedImportEnd(failure, interruption.by(), settings.DATABASE_URL),
      (stored): ImportEnd => (dryRun ? { outcome: 'checked', stored: 0 } : { outcome: 'stored', stored }),
    ),
    T.map((end) => ({ ...end, ...tally, seconds: Math.round(performance.now() - began) / 1_000 })),
  );
};
