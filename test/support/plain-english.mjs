/** Openings after which a reader has to search for the subject. */
const opening = /^(What|Whether|Who|How|Where|Of|One|Those|By)\b/;

/** Words with a plainer everyday form. */
const word =
  /\b(nobody|anew|amid|amidst|beside|in vain|for ever|meanwhile|to the letter|by itself|is none|are none|brings? in|who(?:ever)? (?:waits|asks|has left))\b/i;

const maxWords = 25;

/** Returns the words in a text that have a plainer form. Code is left out. */
export const difficultWords = (text) => {
  const found = word.exec(text.replaceAll(/`[^`]*`/g, 'code'));
  return found === null ? [] : [`"${found[0]}" has a plainer form`];
};

/** Returns the faults of a comment: its opening, its words, and sentences that are too long. */
export const commentProblems = (text) => {
  const plain = text.replaceAll(/`[^`]*`/g, 'code').trim();
  const first = opening.exec(plain)?.[0];
  const longest = Math.max(
    ...plain
      .split(/(?<=[.!?;:])\s+|\n\s*[-@]/)
      .map((sentence) => sentence.split(/\s+/).filter((part) => /\w/.test(part)).length),
  );
  return [
    ...(first === undefined ? [] : [`starts with "${first}": start with a noun or a verb`]),
    ...difficultWords(plain),
    ...(longest > maxWords ? [`has a sentence of ${longest} words: at most ${maxWords}`] : []),
  ];
};

const isDirective = (text) => /^\s*(eslint|@ts-|prettier-ignore|c8 |v8 |#!)/.test(text);

/** Joins line comments that follow each other, since they are read as one. */
const joined = (comments) =>
  comments
    .filter(({ value, type }) => type !== 'Shebang' && !isDirective(value))
    .reduce((groups, comment) => {
      const last = groups.at(-1);
      const follows =
        comment.type === 'Line' && last?.type === 'Line' && comment.loc.start.line === last.loc.end.line + 1;
      const text = comment.value.replaceAll(/^\s*\*+ ?/gm, '');
      if (!follows) return [...groups, { type: comment.type, loc: comment.loc, text }];
      const loc = { start: last.loc.start, end: comment.loc.end };
      return [...groups.slice(0, -1), { type: 'Line', loc, text: `${last.text}\n${text}` }];
    }, []);

/** An ESLint plugin with one rule: comments are plain English, as CONTRIBUTING.md says. */
export const plainEnglish = {
  rules: {
    comments: {
      create: (context) => ({
        Program: () => {
          for (const { loc, text } of joined(context.sourceCode.getAllComments())) {
            for (const message of commentProblems(text)) context.report({ loc, message });
          }
        },
      }),
    },
  },
};
