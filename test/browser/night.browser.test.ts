import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { DeleteQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Page } from 'playwright-core';
import { PAGE_FOLDER } from '../../bin/console/page-folder';
import { LocalConsole } from '../../bin/local/local-console';
import { isoInstant, Ledger } from '../../local';
import { CONSUMERS, Night } from '../support/outage-night';
import { expectPicture, readingProblems, TestBrowser } from './browser';

/** Of compressed script. */
const MOST_BYTES = 150 * 1024;

describe('the night of docs/dlo.md in the console of dlo local', () => {
  const local = new LocalConsole();
  let night: Night;
  let browser: TestBrowser;
  let page: Page;

  beforeAll(async () => {
    [night, browser] = await Promise.all([Night.begin({ pages: local.pages }), TestBrowser.launch()]);
    local.open(Number(new URL(night.url).port), 'us-east-1');
    await night.breaks();
    page = await browser.open(night.url);
  });

  afterAll(async () => {
    await browser.close();
    await local.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const shown = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const rows = () => page.locator('table.rows tbody tr');

  async function setSpeed(speed: number): Promise<void> {
    await fetch(`${night.url}/_dlo/speed`, { method: 'PUT', body: JSON.stringify({ speed }) });
  }

  /** From the list to the cause. */
  async function look(queue: string): Promise<void> {
    await page.getByRole('link', { name: 'Dead Letter Office' }).click();
    await page.getByRole('link', { name: queue, exact: true }).first().click();
    await button(/^Look at the messages/).click();
  }

  async function fix(): Promise<void> {
    await button('Apply this fix …').click();
    await button('Apply it now').click();
    await shown(/^Applied/);
  }

  const begin = (on: Page) => on.getByRole('button', { name: 'Carry out this plan' });

  /** @param tabs in which the redrive is begun at once */
  async function redrive(tabs: readonly Page[] = [page]): Promise<void> {
    await Promise.all(tabs.map(it => begin(it).click()));
    await setSpeed(600);
    await button('Plan another redrive').waitFor();
    await setSpeed(0);
  }

  test('a browser that opens the port gets the page, with the queues by urgency', async () => {
    await rows().nth(2).waitFor();
    expect(await rows().locator('a').allTextContents()).toEqual(['picking-dlq', 'invoices-dlq', 'carrier-dlq']);
    await page.locator('.map', { hasText: 'mailing-dlq' }).waitFor();
    await expectPicture(page, 'overview');
    expect(await readingProblems(page)).toEqual([]);
  });

  test('the doctor shows its findings', async () => {
    await page.getByRole('link', { name: 'Doctor' }).click();
    await shown(/^What it checked|^Checked/);
    await expectPicture(page, 'doctor');
    expect(await readingProblems(page)).toEqual([]);
  });

  test('the missing policy is found, given back, and the 30 orders are invoiced once', async () => {
    await look('invoices-dlq');
    await shown(/policy of the queue invoices does not allow SNS/);
    await page.locator('.message-row', { hasText: 'R-0031' }).click();
    await shown('First sent');
    await expectPicture(page, 'queue');
    expect(await readingProblems(page)).toEqual([]);
    await fix();
    await page.getByRole('link', { name: 'Plan a redrive' }).click();
    await button('Plan').click();
    await begin(page).waitFor();
    await expectPicture(page, 'redrive');
    expect(await readingProblems(page)).toEqual([]);
    const other = await browser.open(`${night.url}/_dlo/console/#/redrive/invoices-dlq`);
    const tabs = [page, other];
    await other.getByRole('button', { name: 'Plan' }).click();
    await begin(other).waitFor();
    await redrive(tabs);
    for (const tab of tabs) await tab.getByText('30 messages moved').first().waitFor();
    const refusal = /another page|nothing has been moved/i;
    expect((await Promise.all(tabs.map(it => it.getByText(refusal).count()))).sort()).toEqual([0, 1]);
    expect(await readingProblems(other)).toEqual([]);
    await night.shop.advance({ minutes: 5 });
    expect(Object.values(night.done('invoicing'))).toEqual(night.orders.map(() => 1));
  });

  test('the short timeout is found and raised by keyboard alone, and the four orders are picked once', async () => {
    const press = async (key: string, name: RegExp) => {
      for (let keys = 0; keys < 60; keys += 1) {
        await page.keyboard.press('Tab');
        const focused = String(await page.evaluate('document.activeElement?.textContent ?? ""'));
        if (!name.test(focused)) continue;
        await page.keyboard.press(key);
        return;
      }
      throw new Error(`no key leads to ${name}`);
    };
    await press('Enter', /^Dead Letter Office/);
    await rows().nth(1).waitFor();
    await press('Enter', /^picking-dlq/);
    await press('Enter', /^Look at/);
    await shown('The function picking timed out after 2 seconds.');
    await press('Enter', /^Apply this fix/);
    await press('Enter', /^Apply it now/);
    await shown(/^Applied/);
    await page.getByRole('link', { name: 'Plan a redrive' }).click();
    await button('Plan').click();
    await redrive();
    await shown('4 messages moved');
    await night.shop.advance({ minutes: 5 });
    expect(Object.values(night.done('picking'))).toEqual(night.orders.map(() => 1));
  });

  test('what only a person can fix has no button, and the ledger has every order', async () => {
    await look('carrier-dlq');
    await shown(/410/);
    expect(await button('Apply this fix …').count()).toBe(0);
    await night.morning();
    const accounts = Ledger.of(night.shop.aws.trace.events).accounts(night.shop.ref('/Shop/orders'));
    expect(accounts.map(({ lost, underWay }) => [lost, underWay])).toEqual(accounts.map(() => [0, 0]));
    expect(CONSUMERS.map(it => Object.keys(night.done(it)).length)).toEqual(CONSUMERS.map(() => night.orders.length));
  });

  test('a body of one mebibyte is text, and binary attributes are base64', async () => {
    const { sqs } = night.shop;
    const QueueUrl = night.shop.ref('/Shop/mailing-dlq');
    const markup =
      '<img src="https://evil.example.com/x.png" onerror="document.title=1"><script>document.title=2</script>';
    const MessageAttributes = { thumb: { DataType: 'Binary', BinaryValue: Buffer.from([0, 255, 128, 10]) } };
    const room = 1024 ** 2 - markup.length - 'thumbBinary'.length - 4;
    const MessageBody = `${markup}${'x'.repeat(room)}`;
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageAttributes }));
    await look('mailing-dlq');
    await page.locator('.message-row').first().click();
    await shown(/more characters are in the export/);
    await page.locator('.detail pre', { hasText: markup }).first().waitFor();
    await shown('AP+ACg== (Binary)');
    expect([await page.locator('.detail img').count(), await page.title()]).toEqual([0, 'Queue – Dead Letter Office']);
    await page.evaluate('location.hash = "#/"');
    await page.locator('table.rows').getByRole('link', { name: 'mailing-dlq' }).click();
    await shown(/^Looked/);
  });

  test('a page left open for days pauses, and continues when it is looked at', async () => {
    const left = await browser.open(night.url);
    await left.clock.install();
    await left.reload();
    await left.getByText('live', { exact: true }).waitFor();
    const isNow = (state: string) =>
      left.evaluate(
        `Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });` +
          `document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await isNow('hidden');
    await left.clock.fastForward(3 * 86_400_000);
    await left.getByText('paused', { exact: true }).waitFor();
    await night.shop.advance({ hours: 8 });
    await isNow('visible');
    await left.getByText('live', { exact: true }).waitFor();
    await left.locator('.clock', { hasText: isoInstant(night.shop.aws.nowMs).slice(0, 10) }).waitFor();
  });

  test('a page says that the console is away, and recovers', async () => {
    await page.context().setOffline(true);
    await page.evaluate('location.hash = "#/relays"');
    await shown('connection lost');
    await page.context().setOffline(false);
    await shown('live');
    // A refused call is a line in the console of the browser too.
    expect(browser.complaints.filter(it => !/ERR_INTERNET_DISCONNECTED|status of (400|500)/.test(it))).toEqual([]);
  });

  test('is small, and at most a second behind', async () => {
    const bytes = gzipSync(readFileSync(path.join(PAGE_FOLDER, 'console.js'))).length;
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
    await page.evaluate('location.hash = "#/"');
    await rows().first().waitFor();
    const before = performance.now();
    const QueueUrl = night.shop.ref('/Shop/mailing-dlq');
    await night.shop.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'late' }));
    await page.locator('tr', { hasText: 'mailing-dlq' }).locator('strong', { hasText: /^2$/ }).waitFor();
    const lagMs = Math.round(performance.now() - before);
    process.stdout.write(
      `The script has ${Math.round(bytes / 1024)} kB compressed. A message was seen after ${lagMs} ms.\n`,
    );
  });

  test('a queue that is deleted while its page is open is named, as is one that never was', async () => {
    await page.getByRole('link', { name: 'mailing-dlq', exact: true }).first().click();
    await shown('2 visible, 0 in flight');
    await night.shop.sqs.send(new DeleteQueueCommand({ QueueUrl: night.shop.ref('/Shop/mailing-dlq') }));
    await shown('This queue does not exist: messages that are sent to it are lost.');
    await page.evaluate('location.hash = "#/queue/no-such-queue"');
    await shown('No queue of this name is in the account');
    await button(/^Look at the messages/).click();
    await shown(/no queue of the account 123456789012 in us-east-1 is named no-such-queue/);
    await page.evaluate('location.hash = "#/queue/picking"');
    await shown('Nothing sends dead letters to it');
    expect(await readingProblems(page)).toEqual([]);
    await page.evaluate('location.hash = "#/redrive"');
    await shown('Redrive by hand');
    expect(await readingProblems(page)).toEqual([]);
  });
});
