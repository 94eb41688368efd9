import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

/** How a page is opened. */
interface PageLook {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
}

const HEIGHT = 800;
const WIDTH = 1_280;
const NARROW = 390;

/** A machine that does other work may be slow. A state that never comes fails the test. */
const TIMEOUT_MS = 30_000;

/** `npm run test:browser` finds it. */
const EXECUTABLE = process.env['CHROME_PATH'] ?? '';

/** A Chromium that remembers what its pages complained about. */
export class TestBrowser {
  /** Errors of scripts, and everything that the security policy has blocked. */
  readonly complaints: string[] = [];

  private constructor(private readonly browser: Browser) {}

  static async launch(...args: readonly string[]): Promise<TestBrowser> {
    const own = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'];
    return new TestBrowser(await chromium.launch({ executablePath: EXECUTABLE, args: [...own, ...args] }));
  }

  /** Opens a page in a session of its own. */
  async open(url: string, { scheme = 'light', width = WIDTH }: PageLook = {}): Promise<Page> {
    const viewport = { width, height: HEIGHT };
    const context = await this.browser.newContext({ viewport, colorScheme: scheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', message => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    await page.goto(url);
    return page;
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

/** The findings of axe about a page, as `rule: where`. @param rules @default - all */
async function axeFindings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const options: axe.RunOptions = {
    resultTypes: ['violations'],
    ...(rules && { runOnly: { type: 'rule', values: [...rules] } }),
  };
  // The security policy lets the page run nothing that it has not loaded, but DevTools may.
  const found = (await page.evaluate(`${axe.source}; axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** What is wrong with a page for some readers: by axe, in light and dark, and where it does not fit on a phone. */
export async function readingProblems(page: Page): Promise<readonly string[]> {
  const inLight = await axeFindings(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const inDark = await axeFindings(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: NARROW, height: HEIGHT });
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
  await page.setViewportSize({ width: WIDTH, height: HEIGHT });
  return [...inLight, ...inDark.map(it => `dark: ${it}`), ...(width > NARROW ? [`${width} pixels wide`] : [])];
}

const FOLDER = path.join(__dirname, '../../docs/console');

/** In the page: the text that a picture shows, without what differs from run to run. */
const SHOWN_TEXT = `document.body.innerText
  .replace(/127\\.0\\.0\\.1:\\d+/g, '127.0.0.1:4566').replace(/\\d+ requests/g, 'some requests').replace(/[ \\t]+\\n/g, '\\n')`;

/** Lets the page work for a fifth of a second. */
const PAUSE = 'new Promise(resolve => setTimeout(resolve, 200))';

/** How often the text is read until the picture must be right. */
const READS = 50;

/** Reads the text of a page until it is as wanted. Returns the last one. */
async function textWhen(page: Page, isWanted: (text: string, before: readonly string[]) => boolean): Promise<string> {
  const before: string[] = [];
  for (;;) {
    const text = String(await page.evaluate(SHOWN_TEXT));
    if (isWanted(text, before) || before.length === READS) return text;
    before.push(text);
    await page.evaluate(PAUSE);
  }
}

/** Versions of Chromium differ in white space. */
const squeezed = (text: string) => text.replace(/\s+/g, ' ');

/** How many times the text must be the same until a picture is taken. */
const SETTLED_READS = 8;

/**
 * Compares a picture of docs/console.md with the page, by its text, which is next to it. With DLO_REWRITE_DOCS=1, the picture is taken
 * again.
 */
export async function expectPicture(page: Page, name: string): Promise<void> {
  const file = path.join(FOLDER, `${name}.txt`);
  if (process.env['DLO_REWRITE_DOCS'] === '1') {
    const isSettled = (text: string, before: readonly string[]) =>
      before.length >= SETTLED_READS && before.slice(-SETTLED_READS).every(it => it === text);
    const text = await textWhen(page, isSettled);
    await page.evaluate('document.activeElement?.blur(); scrollTo(0, 0)');
    mkdirSync(FOLDER, { recursive: true });
    await page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
    writeFileSync(file, text);
    return;
  }
  const recorded = readFileSync(file, 'utf8');
  const isRecorded = (text: string) => squeezed(text) === squeezed(recorded);
  const text = await textWhen(page, isRecorded);
  if (!isRecorded(text)) expect(text).toBe(recorded);
}
