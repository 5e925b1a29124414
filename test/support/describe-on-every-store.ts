import { ServiceUnderTest } from './service-under-test';
import { stores } from './stores';

/** Describes the service once a store: one process serves all of these tests, and is stopped and checked after. */
export const describeOnEveryStore = (title: string, tests: (service: ServiceUnderTest) => void) => {
  stores.forEach((store) => {
    describe(`${title}, on ${store.name}`, () => {
      const service = new ServiceUnderTest(store);
      before('start the service', () => service.start());
      after('stop the service', () => service.stop());
      tests(service);
    });
  });
};
