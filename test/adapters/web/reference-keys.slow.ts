import { expect } from 'chai';
import { whySkipped } from '../../support/browser';
import { expectNoFaultInLightAndDark } from '../../support/pages/checks';
import { keyField, openReference, operationOf, send, shownKey, useKey } from '../../support/pages/reference';
import { apiKey } from '../../support/service/serve-in-process';
import { useServedPages } from '../../support/pages/served-pages';

describe(`The API key of the reference in a browser${whySkipped}`, () => {
  const { browser, address } = useServedPages();

  it('keeps the key in the tab until it is removed, and shows what the service answers without one', async () => {
    const page = await openReference(browser, address());
    expect(await send(page, 'getPet')).to.match(/^401 Unauthorized, \d+ ms {\s+"code": "unauthorized"/);
    await keyField(page).fill('nonsense');
    await keyField(page).press('Enter');
    await page.getByText('This key is unknown, expired or revoked.').waitFor();
    expect(await keyField(page).inputValue()).to.equal('nonsense');
    await useKey(page, `Bearer ${apiKey}`);
    await page.getByText('Must be the key only, without Bearer').waitFor();
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
    await useKey(page, `${apiKey}\u00a0`);
    await shownKey(page).waitFor();
    await page.reload();
    expect(await send(page, 'listPets')).to.match(/^200 OK/);
    expect(await keyField(page).isVisible()).to.equal(false);
    await page.getByRole('button', { name: 'Change the API key' }).click();
    await page.keyboard.type('nonsense');
    await page.keyboard.press('Enter');
    await page.getByText('This key is unknown, expired or revoked.').waitFor();
    await keyField(page).fill('');
    expect(await send(page, 'listPets', { limit: '7' })).to.match(/^200 OK/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.evaluate('sessionStorage.length')).to.equal(0);
    expect(await send(page, 'listPets', { limit: '5' })).to.match(/^401/);
    await page.close();
  });

  it('sends a key that was typed but not yet used, and nothing if it is refused', async () => {
    const page = await openReference(browser, address());
    const operation = operationOf(page, 'listPets');
    await keyField(page).fill('nonsense');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText('Nothing was sent').waitFor();
    expect(await operation.getByRole('group', { name: 'Response' }).textContent()).to.equal(
      'This key is unknown, expired or revoked. Ask the operator for another.',
    );
    await operation.getByRole('link', { name: 'Set an API key' }).click();
    await page.keyboard.type(apiKey);
    expect(await send(page, 'listPets')).to.match(/^200 OK/);
    await shownKey(page).waitFor();
    await page.close();
  });

  it('leads from a 401 to the key, and shows the example again once there is a key', async () => {
    const page = await openReference(browser, address());
    const operation = operationOf(page, 'listPets');
    expect(await operation.getByRole('link', { name: 'Set an API key' }).isVisible()).to.equal(false);
    await send(page, 'listPets');
    await operation.getByRole('link', { name: '"unauthorized"' }).click();
    expect(await page.locator('tr:target').textContent()).to.include('401');
    await operation.getByRole('link', { name: 'Set an API key' }).click();
    expect(await page.evaluate('document.activeElement.id')).to.equal('api-key');
    await expectNoFaultInLightAndDark(page);
    await useKey(page);
    await operation.getByText('Example of the response, 200').waitFor();
    expect(await operation.getByRole('link', { name: 'Set an API key' }).isVisible()).to.equal(false);
    expect(await operation.getByRole('group', { name: 'Response' }).textContent()).to.include('"id"');
    await page.close();
  });

  it('shows what a proxy answers with 400, and copies with a key only while the tab has one', async () => {
    const page = await openReference(browser, address());
    const copyWithKey = operationOf(page, 'listPets').getByRole('button', { name: 'Copy with the key' });
    expect(await copyWithKey.isVisible()).to.equal(false);
    await useKey(page);
    await copyWithKey.waitFor();
    await page.route('**/v1/pets*', (route) => route.fulfill({ status: 400, body: '<h1>no</h1>' }));
    expect(await send(page, 'listPets')).to.match(/^400 .*<h1>no/s);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await copyWithKey.waitFor({ state: 'hidden' });
    await page.close();
  });
});
