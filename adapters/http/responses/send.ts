import type { Context } from 'koa';
import type { Answer } from './answer';

/** Writes an answer to whoever sent the request. */
export type Send = (context: Context, answer: Answer) => void;
