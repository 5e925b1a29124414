import { createPostgresDatabase } from '../postgres/postgres';
import { killServices } from './service-process';

/** Gives the address of an empty database on the run's server; it is gone afterwards, with the services on it. */
export const inPostgresDatabase = async <A>(use: (url: string) => Promise<A>): Promise<A> => {
  const { url, drop } = await createPostgresDatabase();
  try {
    return await use(url);
  } finally {
    await killServices();
    await drop();
  }
};
