import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../results/', import.meta.url));

export const writeResult = async (name, text) => {
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}${name}`, text);
};
