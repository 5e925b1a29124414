import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packStage, repository } from './stage';
import { stageLibrary } from './stage-library';
import { stageService } from './stage-service';

/** Writes the two packages of the repository, from what was built last. */
const pack = async (target: string): Promise<void> => {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  await Promise.all([packStage(stageLibrary, target), packStage(stageService, target)]);
};

void pack(process.argv[2] ?? join(repository, 'dist', 'packages'));
