import pg from 'pg';

/** Named statements, prepared once a connection; pg gives an int8 as exact decimal text, made a bigint for `asBigInt`. */
export const postgresAnimals = ({ asBigInt }) => {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
  const integer = asBigInt ? BigInt : (text) => text;
  const toPet = ([id, name, categoryId, status]) =>
    status === null
      ? { id: integer(id), name, categoryId: integer(categoryId) }
      : { id: integer(id), name, categoryId: integer(categoryId), status };
  const run = async (name, text, values) => {
    const { rows } = await pool.query({ name, text, values, rowMode: 'array' });
    return rows.map(toPet);
  };
  const columns = 'id, name, category_id, status';

  return {
    find: async (id) => (await run('find', `select ${columns} from pets where id = $1`, [id]))[0],
    list: ({ limit, after, status }) =>
      status === undefined
        ? run('page', `select ${columns} from pets where id > $1 order by id limit $2`, [after, limit + 1])
        : run(
            'page by status',
            `select ${columns} from pets where status = $1 and id > $2 order by id limit $3`,
            [status, after, limit + 1],
          ),
    create: async ({ name, categoryId, status }) =>
      (
        await run(
          'create',
          `insert into pets (name, category_id, status) values ($1, $2, $3) returning ${columns}`,
          [name, categoryId, status ?? null],
        )
      )[0],
  };
};
