/** Removes the line with the name of the database, which commands print on standard error. */
export const withoutDatabaseLine = <A extends { readonly stderr: string }>(outcome: A): A => ({
  ...outcome,
  stderr: outcome.stderr.replace(/^database: .*\n/m, ''),
});
