import { newElement } from './elements.mjs';

const words =
  'and|await|class|const|curl|def|false|for|from|import|in|let|new|None|null|of|print|return|true';

// Matches property names, other strings, numbers and keywords of the languages that the pages show.
const token = new RegExp(
  [
    String.raw`(?<name>"(?:\\.|[^"\\])*"(?=: ))`,
    String.raw`(?<string>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")`,
    String.raw`(?<number>(?<=[\s([,])-?\d+n?\b(?!\.))`,
    String.raw`(?<word>(?<![\w.-])(?:${words})\b)`,
  ].join('|'),
  'gs',
);

/** Shows shell, JavaScript, Python or JSON code in an element, with colours. */
export const showCode = (element, code) => {
  const parts = [];
  let end = 0;
  for (const { 0: text, index, groups } of code.matchAll(token)) {
    const [kind] = Object.entries(groups).find(([, match]) => match !== undefined);
    parts.push(code.slice(end, index), newElement(`span.${kind}`, text));
    end = index + text.length;
  }
  element.replaceChildren(...parts, code.slice(end));
};
