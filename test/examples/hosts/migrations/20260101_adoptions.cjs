exports.up = (knex) =>
  knex.schema.createTable('adoptions', (table) => {
    table.bigInteger('pet_id').primary();
    table.text('adopter').notNullable();
  });
exports.down = (knex) => knex.schema.dropTable('adoptions');
