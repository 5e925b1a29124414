import type { NewPet } from '../../../core';
import type { BatchLimits } from '../batching/batch-limits';
import { newPetCells } from '../database/pet-columns';
import type { Creation } from './creation';

/** Calls in one statement: their keys stay under SQLite's 500 terms of a compound select. */
export const maxBatchSize = 400;

const weightOf = (newPet: NewPet): number =>
  newPetCells(newPet).reduce((weight, cell) => weight + (cell?.length ?? 0), 0);

/** How many animals one statement adds: with more characters it would hold the event loop for more than some 20 ms. */
export const newPetBatches: BatchLimits<NewPet> = {
  maxBatchSize,
  maxBatchWeight: 1_000_000,
  weightOf,
};

export const creationBatches: BatchLimits<Creation> = {
  ...newPetBatches,
  weightOf: ({ newPet }) => weightOf(newPet),
};
