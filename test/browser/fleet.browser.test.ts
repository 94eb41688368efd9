import type { Page } from 'playwright-core';
import { LocalConsole } from '../../bin/local/local-console';
import { RelayFleet } from '../../lib';
import { response } from '../../local';
import { OperatedAccount } from '../bin/operated-account';
import { Deployed } from '../support/deployed';
import { expectPicture, readingProblems, TestBrowser } from './browser';

/** Endpoints by tenant, with the answers of each. */
const STATUSES = { acme: 503, globex: 410, initech: 200 } as const;

describe('a fleet in the console', () => {
  const local = new LocalConsole();
  let browser: TestBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await TestBrowser.launch();
    const deployed = await Deployed.stack(stack => void new RelayFleet(stack, 'Fleet', { fleetName: 'webhooks' }), {
      startAt: '2026-03-14T08:00:00Z',
    });
    const { url, port } = await deployed.aws.listen({ pages: local.pages });
    local.open(port, 'us-east-1');
    const account = new OperatedAccount(deployed, url, 'fleet');
    for (const [tenant, status] of Object.entries(STATUSES)) {
      const host = `hooks.${tenant}.example`;
      deployed.aws.endpoint(host).behave({ reply: response(status) });
      const { exitCode } = await account.dlo(`add ${tenant}/orders --url https://${host}/in --type paid --execute`);
      expect(exitCode).toBe(0);
    }
    // The breaker opens after 10 failures over 30 seconds.
    for (const tenant of ['globex', 'initech', ...Array<string>(12).fill('acme')]) {
      const event = { id: `event-${deployed.aws.nowMs}`, tenant, type: 'paid', data: '{}' };
      await deployed.send('Fleet/Events', JSON.stringify(event));
      await deployed.advance({ seconds: 5 });
    }
    await account.dlo('disable initech/orders --execute');
    await deployed.advance({ minutes: 10 });
    page = await browser.open(`${url}/_dlo/console/#/relays`);
  });

  afterAll(async () => {
    await browser.close();
    await local.close();
  });

  test('is listed with its endpoints, those that are down first', async () => {
    await page.getByRole('link', { name: 'acme/orders' }).waitFor();
    await expectPicture(page, 'fleet');
    expect(await readingProblems(page)).toEqual([]);
  });

  test('leads to the parked messages and the attempts of an endpoint', async () => {
    await page.getByRole('link', { name: 'acme/orders' }).click();
    await page.getByText('Waits because').waitFor();
    await page.getByText(/dlo fleet enable acme\/orders/).waitFor();
    expect(await page.locator('table').count()).toBe(2);
    expect(await readingProblems(page)).toEqual([]);
  });

  test('no script failed, and the security policy had nothing to block', () => {
    expect(browser.complaints).toEqual([]);
  });
});
