import type { Page } from 'playwright-core';
import type { Io } from '../../bin/shared/io';
import { showRentalDay } from '../../bin/story/story-console';
import { RentalOrdersStack } from '../../examples/rental';
import { assemblyOf } from '../support/assembly';
import { expectPicture, readingProblems, TestBrowser } from './browser';

describe('dlo story rental --console', () => {
  let end = (): void => {};
  let shown = Promise.resolve();
  let url: string;
  let browser: TestBrowser;
  let page: Page;

  beforeAll(async () => {
    const assembly = assemblyOf(app => {
      const [opsEmail, billingEndpoint] = ['ops@example.com', 'https://billing.example.com/invoices'];
      new RentalOrdersStack(app, 'RentalOrders', { rentalOrders: { opsEmail, billingEndpoint, systems: true } });
    });
    const interrupted = new Promise<void>(resolve => {
      end = resolve;
    });
    const ready = new Promise<string>((resolve, reject) => {
      const write = (text: string) => resolve(/http:\S+(?=\/_dlo)/.exec(text)?.[0] ?? '');
      const io = { stdout: { write }, stderr: { write: reject }, interrupted: () => interrupted };
      const day = { seed: '1', startAt: '2026-01-05T00:00:00Z', standIns: 'warn' } as const;
      shown = showRentalDay(assembly, day, { port: 0, allowHost: [] }, io as unknown as Io);
      shown.catch(reject);
    });
    [url, browser] = await Promise.all([ready, TestBrowser.launch()]);
    await fetch(`${url}/_dlo/speed`, { method: 'PUT', body: '{"speed":0}' });
    page = await browser.open(`${url}/_dlo/console/#/simulation`);
  });

  afterAll(async () => {
    await browser.close();
    end();
    await shown;
  });

  test('goes to an instant of the day and back, and shows the journey of an order that died there', async () => {
    const slide = async (time: string, says: string) => {
      await page.locator('input[type=range]').fill(String(Date.parse(`2026-01-05T${time}:00Z`)));
      await page.locator('.time-now', { hasText: `${time}:00` }).waitFor();
      await page.locator('.time-story', { hasText: says }).waitFor();
    };
    await slide('06:10', 'The shop opens at 06:00');
    await slide('06:05', 'The shop opens at 06:00');
    await slide('10:30', 'The external billing system goes down');
    await page.getByRole('link', { name: 'Journeys' }).click();
    await page.getByLabel('What happened').selectOption({ label: 'dead-lettered' });
    await page.locator('.message-rows .badge.dead-lettered').first().waitFor();
    await page.locator('.message-rows a').first().click();
    await page.getByText(/Journey of message/).waitFor();
    await expectPicture(page, 'story');
    expect(await readingProblems(page)).toEqual([]);
    expect(browser.complaints).toEqual([]);
  });
});
