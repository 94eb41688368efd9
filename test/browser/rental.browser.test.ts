import { Stack } from 'aws-cdk-lib';
import type { Page } from 'playwright-core';
import { LocalConsole } from '../../bin/local/local-console';
import { RentalOrdersStack } from '../../examples/rental';
import { DurableTopic } from '../../lib/topic/durable-topic';
import { Ledger } from '../../local';
import { assemblyOf } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { ORDER, RENTAL } from '../support/rental';
import { expectPicture, readingProblems, TestBrowser } from './browser';

describe('the rental backend and a relay, broken and repaired in the console', () => {
  const local = new LocalConsole();
  let shop: Deployed;
  let url: string;
  let browser: TestBrowser;
  let page: Page;

  beforeAll(async () => {
    browser = await TestBrowser.launch();
    const assembly = assemblyOf(app => {
      new RentalOrdersStack(app, 'Test', { rentalOrders: { billingEndpoint: 'https://billing.example.com/invoices' } });
      const orders = new DurableTopic(new Stack(app, 'Partners'), 'Orders', { topicName: 'Partner-Orders' });
      orders.relayToEndpoint('ToPartner', 'https://partner.example.com/orders');
    });
    shop = await Deployed.assembly(assembly, { startAt: '2026-03-14T08:00:00Z', seed: 'rental' });
    let port: number;
    ({ url, port } = await shop.aws.listen({ rewindable: true, pages: local.pages }));
    local.open(port, 'us-east-1');
    page = await browser.open(`${url}/_dlo/console/#/simulation`);
  });

  afterAll(async () => {
    await browser.close();
    await local.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const shown = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const go = (route: string) => page.evaluate(`location.hash = ${JSON.stringify(route)}`);

  async function send(to: string, message: string, attributes = ''): Promise<void> {
    await page.locator('select[name=to]').selectOption({ label: to });
    await page.locator('textarea[name=message]').fill(message);
    await page.locator('input[name=attributes]').fill(attributes);
    await button(/^Send$/).click();
  }

  /** Moves time. */
  async function jump(by: string): Promise<void> {
    await button(`+ ${by}`).click();
    await button(`↶ Undo: a jump of ${by}`).waitFor();
    await page.locator('.time-bar > .time-said', { hasText: 'until' }).waitFor();
  }

  test('a permission is taken away, an order is sent, and time jumps: the order dies', async () => {
    await page.getByLabel('Find a permission').fill('Rental-Fulfilment');
    await button(/^Take away: Rental-Fulfilment sns/).click();
    await button(/^Give back: Rental-Fulfilment sns/).waitFor();
    await send('Rental-Orders', JSON.stringify(ORDER), 'order-status=confirmed');
    await jump('1 h');
    await expectPicture(page, 'simulation');
    expect(await readingProblems(page)).toEqual([]);
  });

  test('its journey shows the refusal, with the rule, and leads from step to step', async () => {
    await page.getByRole('link', { name: 'Follow it' }).click();
    await shown(/Journey of message/);
    await page.locator('.journey-steps .failed, .journey-steps .dead').first().waitFor();
    await expectPicture(page, 'journey');
    expect(await readingProblems(page)).toEqual([]);
    const before = (await page.locator('.step-nav span').first().textContent()) ?? '';
    await button('Previous step').click();
    await page.locator('.step-nav span').first().filter({ hasNotText: before }).waitFor();
    await page.getByRole('link', { name: 'All messages' }).click();
    await page.locator('.message-rows a').first().waitFor();
    expect(await readingProblems(page)).toEqual([]);
  });

  test('a relay whose partner is down shows what waits for which attempt', async () => {
    await go('#/simulation');
    await send('Partner-Orders', '{"order":1}');
    await jump('1 min');
    await page.getByLabel('How partner.example.com behaves').selectOption({ label: 'refuses connections' });
    await send('Partner-Orders', '{"order":2}');
    await jump('15 min');
    await go('#/relays');
    await shown(/breaker/);
    await page.locator('svg').first().waitFor();
    await expectPicture(page, 'relays');
    expect(await readingProblems(page)).toEqual([]);
  });

  test('the permission is given back, and the order comes home', async () => {
    await go('#/queue/Rental-Fulfilment-Fanout-DLQ');
    await button(/^Look at the messages/).click();
    await shown(/does not allow SNS/);
    await button('Apply this fix …').click();
    await button('Apply it now').click();
    await shown(/^Applied/);
    await page.getByRole('link', { name: 'Plan a redrive' }).click();
    await button(/^Plan$/).click();
    await button('Carry out this plan').click();
    await fetch(`${url}/_dlo/speed`, { method: 'PUT', body: '{"speed":600}' });
    await button('Plan another redrive').waitFor();
    await fetch(`${url}/_dlo/speed`, { method: 'PUT', body: '{"speed":0}' });
    await shown('1 message moved');
    expect(await shop.take(RENTAL.fulfilment)).toEqual([expect.stringContaining(ORDER.orderId)]);
    const accounts = Ledger.of(shop.aws.trace.events).accounts(shop.ref(RENTAL.topic));
    expect(accounts.map(({ lost, underWay }) => lost + underWay)).toEqual(accounts.map(() => 0));
  });

  test('no script failed, and the security policy had nothing to block', () => {
    expect(browser.complaints).toEqual([]);
  });
});
