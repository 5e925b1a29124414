import { useBrowser, whySkipped } from '../../support/browser';
import { expectNoFaultInLightAndDark, expectNoOverflow, sizes } from '../../support/pages/checks';
import { openState, startStores, states } from '../../support/pages/states';
import type { ServiceProcess } from '../../support/service/service-process';

describe(`Each state of the pages in a browser${whySkipped}`, () => {
  const browser = useBrowser();
  let services: Awaited<ReturnType<typeof startStores>>;
  before(async () => {
    services = await startStores();
  });
  after(() => Promise.all(Object.values(services).map((service: ServiceProcess) => service.stop())));

  for (const [name, state] of Object.entries(states)) {
    it(`fits each screen and has no fault of access, in light and dark: ${name}`, async () => {
      for (const viewport of [...Object.values(sizes), { width: 320, height: 640 }]) {
        const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
        await openState(page, state, services);
        await expectNoOverflow(page, `with ${viewport.width} pixels`);
        await expectNoFaultInLightAndDark(page);
        await page.close();
      }
    });
  }
});
