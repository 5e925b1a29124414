import { killServices } from '../../support/service/service-process';
import { sqliteStore } from '../../support/databases/databases';
import { fault } from '../support/fault';
import { sickSqliteFile } from '../support/databases/sick-store';

describe('Promise 3: a locked SQLite file is a 503', () => {
  afterEach(killServices);

  fault(
    'locked by another process for 30 s',
    sickSqliteFile({
      inject: ({ file }) => sqliteStore(file).holdWriters(),
      reads: 'reads go on',
      lasts: 30_000,
    }),
  );
});
