import { formatDuration, formatNumber } from '../policy/format-text';
import type { Output } from './io';

/** Long work, told while it goes on. */
export interface Progress {
  /** So much is done by now. */
  at(done: number): void;
  /** Takes the bar away, so that something else can be said, or nothing more: it comes back with the next `at`. */
  clear(): void;
}

/** What is told of. */
export interface ProgressFacts {
  /** What is counted, and what is done with it: `letters received`. */
  readonly what: string;
  /** How many there are, as far as that is known. @default - nobody knows */
  readonly total?: number;
}

/** Our choice: as often as an eye follows. */
const REDRAWN_AFTER_MS = 100;

/** Our choice: for a log that somebody reads later. */
const REPORTED_AFTER_MS = 10_000;

/** Of a terminal that does not tell. */
const COLUMNS = 80;

const BAR = { least: 10, most: 30 } as const;

/** Begins a line anew, and wipes out what is right of the cursor. */
const LINE_START = '\r';
const WIPE = '\u{1b}[K';

/** What takes away whatever stands on the line. */
export const LINE_WIPED = `${LINE_START}${WIPE}`;

/** `1,200 of 120,000 letters received, 240 a second, 8 min 15 s left`. */
function factsText({ what, total }: ProgressFacts, done: number, elapsedMs: number): string {
  const count = total === undefined ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`;
  const perSecond = elapsedMs > 0 ? done / (elapsedMs / 1_000) : 0;
  const rate = perSecond > 0 ? [`${formatNumber(Number(perSecond.toPrecision(3)))} a second`] : [];
  const left = perSecond > 0 && total !== undefined && total > done ? Math.ceil((total - done) / perSecond) : 0;
  return [`${count} ${what}`, ...rate, ...(left > 0 ? [`${formatDuration(left)} left`] : [])].join(', ');
}

/** As wide as there is room for beside the text; none where there is not enough. */
function barText(done: number, total: number | undefined, room: number): string {
  const width = Math.min(room - 3, BAR.most);
  if (total === undefined || total <= 0 || width < BAR.least) return '';
  const full = Math.floor(Math.min(done / total, 1) * width);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] `;
}

function bar(output: Output, facts: ProgressFacts, nowMs: () => number): Progress {
  const startedAtMs = nowMs();
  let drawnAtMs: number | undefined;
  return {
    at: done => {
      const atMs = nowMs();
      if (drawnAtMs !== undefined && atMs - drawnAtMs < REDRAWN_AFTER_MS) return;
      drawnAtMs = atMs;
      // What fills the last column begins another line on some terminals.
      const columns = (output.columns ?? COLUMNS) - 1;
      const text = factsText(facts, done, atMs - startedAtMs);
      const line = `${barText(done, facts.total, columns - text.length)}${text}`.slice(0, columns);
      output.write(`${LINE_START}${line}${WIPE}`);
    },
    clear: () => {
      if (drawnAtMs !== undefined) output.write(LINE_WIPED);
      drawnAtMs = undefined;
    },
  };
}

function lines(output: Output, facts: ProgressFacts, nowMs: () => number): Progress {
  const startedAtMs = nowMs();
  let reportedAtMs = startedAtMs;
  return {
    at: done => {
      const atMs = nowMs();
      if (atMs - reportedAtMs < REPORTED_AFTER_MS) return;
      reportedAtMs = atMs;
      output.write(`${factsText(facts, done, atMs - startedAtMs)}\n`);
    },
    clear: () => {},
  };
}

/**
 * Tells how far long work is: on a terminal by a bar that is drawn over itself and never wider than it, elsewhere by a line
 * every ten seconds, so that short work says nothing.
 */
export function progressOn(output: Output, facts: ProgressFacts, nowMs: () => number): Progress {
  return output.isTTY ? bar(output, facts, nowMs) : lines(output, facts, nowMs);
}

/** Does long work and tells how far it is; whatever ends the work, nothing half drawn is left. */
export async function withProgress<T>(
  output: Output,
  facts: ProgressFacts,
  nowMs: () => number,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  return cleared(progressOn(output, facts, nowMs), work);
}

/** Does work, and takes away then what told of it, whatever ended it. */
export async function cleared<P extends Pick<Progress, 'clear'>, T>(
  progress: P,
  work: (progress: P) => Promise<T>,
): Promise<T> {
  try {
    return await work(progress);
  } finally {
    progress.clear();
  }
}
