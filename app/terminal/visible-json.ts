import { visibleText } from './visible-text';

/** A JSON text that a terminal shows as it stands, whatever the strings in it hold. */
export const visibleJson = (value: unknown): string => visibleText(JSON.stringify(value));
