import { killServices } from '../../support/service/service-process';
import { fault } from '../support/fault';
import { lockedDatabase } from '../support/databases/locked-database';

describe('Promise 3: a locked SQLite file is a 503', () => {
  afterEach(killServices);

  fault('locked by another process for 30 s', lockedDatabase(30_000));
});
