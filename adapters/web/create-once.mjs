// Errors after which the idempotency key can't be used again: every retry with this key would get the same error.
const finalCodes = ['idempotency_key_reused', 'pet_deleted'];

/**
 * Returns a function that adds an animal, as the client's `createWithDetails` does. While the outcome of a create is
 * unknown, the next create of the same values repeats its idempotency key. A create of invalid values in between does
 * not change this.
 */
export const createOnce = (animals) => {
  let unconfirmed;
  return async (newPet, options) => {
    const values = JSON.stringify(newPet);
    const idempotencyKey = unconfirmed?.values === values ? unconfirmed.idempotencyKey : undefined;
    try {
      const created = await animals.createWithDetails(newPet, { ...options, idempotencyKey });
      unconfirmed = undefined;
      return created;
    } catch (error) {
      if (finalCodes.includes(error.code)) unconfirmed = undefined;
      else if (error.idempotencyKey !== undefined)
        unconfirmed = { values, idempotencyKey: error.idempotencyKey };
      throw error;
    }
  };
};
