import { dirname, join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..', '..');

const compilerOptions = (): ts.CompilerOptions => {
  const file = ts.readConfigFile(join(root, 'tsconfig.json'), (name) => ts.sys.readFile(name));
  const { options } = ts.parseJsonConfigFileContent(file.config, ts.sys, root);
  return { ...options, noEmit: true, incremental: false, noUnusedLocals: false };
};

/**
 * Compiles snippets as if they were files in a folder of this repository, with its own compiler options. Answers
 * with each snippet's errors, as `TS2345: message`.
 */
export const compile = <Name extends string>(
  folder: string,
  snippets: Readonly<Record<Name, string>>,
): Readonly<Record<string, ReadonlyArray<string>>> => {
  const texts = new Map<string, string>(
    Object.entries<string>(snippets).map(([name, text]) => [join(root, folder, `${name}.snippet.ts`), text]),
  );
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram([...texts.keys()], options, {
    ...host,
    fileExists: (file) => texts.has(file) || host.fileExists(file),
    readFile: (file) => texts.get(file) ?? host.readFile(file),
    getSourceFile: (file, version, ...rest) => {
      const text = texts.get(file);
      return text === undefined
        ? host.getSourceFile(file, version, ...rest)
        : ts.createSourceFile(file, text, version);
    },
  });
  return Object.fromEntries(
    [...texts.keys()].map((file) => [
      file.slice(dirname(file).length + 1, -'.snippet.ts'.length),
      ts
        .getPreEmitDiagnostics(program, program.getSourceFile(file))
        .map(({ code, messageText }) => `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
    ]),
  );
};
