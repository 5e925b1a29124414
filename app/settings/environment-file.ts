import * as E from 'fp-ts/Either';
import { isUtf8 } from 'node:buffer';

const comment = /^[ \t]*(?:[#;].*)?(?<!\\)$/;

/** Matches an assignment. Its value is in quotes, or has no quote, no backslash and no `#` that begins a comment. */
const assignment =
  /^[ \t]*(?<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?:'(?<single>[^']*)'|"(?<double>[^"\\]*)"|(?!#)(?!.*[ \t]#)(?<plain>[^"'`\\]*?))[ \t]*$/;

/**
 * Parses a file of settings in the format of systemd's `EnvironmentFile=` (systemd.exec(5)). Fails at a line that
 * systemd would read in an unexpected way. For example, systemd gives `PORT=1 # port` the value `1 # port`.
 */
export const parseEnvironmentFile = (
  bytes: Uint8Array,
): E.Either<string, Readonly<Record<string, string>>> => {
  const text = Buffer.from(bytes).toString();
  if (!isUtf8(bytes) || /^\uFEFF|[\0\uFFFE\uFFFF]/.test(text))
    return E.left('the file must be UTF-8 without a byte order mark');
  const values: Array<readonly [name: string, value: string]> = [];
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (comment.test(line)) continue;
    const { name, single, double, plain } = assignment.exec(line)?.groups ?? {};
    if (name === undefined)
      return E.left(
        `line ${index + 1} is not NAME=value as systemd reads it; remove \`export\` and comments after a value, put a value with double quotes, backslashes or # in single quotes, and a value with single quotes in double quotes`,
      );
    values.push([name, single ?? double ?? plain ?? '']);
  }
  return E.right(Object.fromEntries(values));
};
