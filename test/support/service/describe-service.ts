import { ServiceUnderTest } from './service-under-test';
import { inMemory, stores, type TestStore } from './stores';

const describeOn = (store: TestStore, title: string, tests: (service: ServiceUnderTest) => void): void => {
  describe(title, () => {
    const service = new ServiceUnderTest(store);
    before('start the service', () => service.start());
    after('stop the service', () => service.stop());
    tests(service);
  });
};

/** Describes the service where its store makes no difference: all of these tests ask one, which is checked after. */
export const describeService = (title: string, tests: (service: ServiceUnderTest) => void): void => {
  describeOn(inMemory, title, tests);
};

/** Describes the service once a store. */
export const describeOnEveryStore = (title: string, tests: (service: ServiceUnderTest) => void): void => {
  for (const store of stores) describeOn(store, `${title}, on ${store.name}`, tests);
};
