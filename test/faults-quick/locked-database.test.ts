import { fault } from '../faults/support/fault';
import { lockedDatabase } from '../faults/support/databases/locked-database';
import { killServices } from '../support/service/service-process';

describe('Promise 3: a locked SQLite file is a 503', () => {
  afterEach(killServices);

  fault('locked by another process for some seconds', lockedDatabase(0));
});
