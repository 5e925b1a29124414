import type { ESLint } from 'eslint';

export declare const difficultWords: (text: string) => ReadonlyArray<string>;
export declare const commentProblems: (text: string) => ReadonlyArray<string>;
export declare const plainEnglish: ESLint.Plugin;
