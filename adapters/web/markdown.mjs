import { newCode, newElement } from './elements.mjs';

/** Renders code, bold text and escapes. */
const inlineOf = (text) =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return newCode(part.slice(1, -1));
    return part.startsWith('**')
      ? newElement('strong', part.slice(2, -2))
      : part.replaceAll(/\\(?=[\\<`|])/g, '');
  });

const cellsOf = (line, name) =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => newElement(name, ...inlineOf(cell.trim())));

const tableOf = (block) => {
  const [head, , ...rows] = block.split('\n');
  const body = rows.map((row) => newElement('tr', ...cellsOf(row, 'td')));
  const table = newElement('table', newElement('thead', newElement('tr', ...cellsOf(head, 'th'))));
  table.append(newElement('tbody', ...body));
  return table;
};

/** Renders the Markdown of openapi.json: paragraphs, tables, and details with a summary. Returns elements. */
export const renderMarkdown = (text) => {
  const elements = [];
  let details;
  for (const block of text.trim().split(/\n{2,}/)) {
    const summary = /^<details><summary>(.+)<\/summary>$/.exec(block)?.[1];
    if (summary !== undefined)
      elements.push((details = newElement('details', newElement('summary', summary))));
    else if (block === '</details>') details = undefined;
    else {
      const element = block.startsWith('|') ? tableOf(block) : newElement('p', ...inlineOf(block));
      if (details === undefined) elements.push(element);
      else details.append(element);
    }
  }
  return elements;
};
