import * as E from 'fp-ts/Either';
import type { Logger } from 'pino';
import type { CheckReadiness } from '../../adapters/http';
import type { ServiceStore } from '../store/service-store';

export const reportReadiness = (
  { findObstacle }: ServiceStore,
  logger: Logger,
  isStopping: () => boolean,
): CheckReadiness => {
  let last: string | undefined;
  return async () => {
    const found = await findObstacle();
    if (isStopping()) return E.left({ _tag: 'NotReady', reason: 'the service is stopping' });
    if (found !== last) {
      if (found === undefined) logger.info('ready');
      else logger.warn({ reason: found }, 'not ready');
    }
    last = found;
    return found === undefined ? E.right(undefined) : E.left({ _tag: 'NotReady', reason: found });
  };
};
