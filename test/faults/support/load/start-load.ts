import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a source of load tells, in this order. */
export type LoadEvent<Figures> =
  | { readonly event: 'begun' }
  /** It has sent its last request; answers may still be on their way. */
  | { readonly event: 'over' }
  | { readonly event: 'figures'; readonly figures: Figures };

export interface RunningLoad<Figures> {
  readonly begun: Promise<void>;
  readonly over: Promise<void>;
  readonly figures: Promise<Figures>;
}

/** Runs a program of this folder in a process of its own, so that it takes no time from the test that watches. */
export const startLoad = <Figures>(file: string, load: object): RunningLoad<Figures> => {
  const source = fork(join(__dirname, file), {
    execArgv: ['--import', pathToFileURL(require.resolve('tsx')).href],
    // JSON has no NaN.
    serialization: 'advanced',
  });
  const ended = once(source, 'exit').then(() => {
    throw new Error(`the source of the load, ${file}, ended early`);
  });
  const heard = <A>(take: (message: LoadEvent<Figures>, resolve: (value: A) => void) => void): Promise<A> => {
    const told = new Promise<A>((resolve) => {
      source.on('message', (message: LoadEvent<Figures>) => {
        take(message, resolve);
      });
    });
    const first = Promise.race([told, ended]);
    // Whoever waits for one of them hears of its failure.
    first.catch(() => undefined);
    return first;
  };
  const begun = heard<undefined>(({ event }, resolve) => {
    if (event === 'begun') resolve(undefined);
  });
  const over = heard<undefined>(({ event }, resolve) => {
    if (event === 'over') resolve(undefined);
  });
  const figures = heard<Figures>((message, resolve) => {
    if (message.event === 'figures') resolve(message.figures);
  });
  source.send(load);
  return { begun, over, figures };
};

/** In a source of load: tells how far it is. */
export const tell = (message: LoadEvent<object>): void => void process.send?.(message);

/** In a source of load: gives its figures, and ends. It ends without them when who started it is gone. */
export const endWith = (figures: Promise<object>): void => {
  process.once('disconnect', () => process.exit());
  void figures.then((each) => {
    process.send?.({ event: 'figures', figures: each } satisfies LoadEvent<object>, () => {
      process.exit();
    });
  });
};
