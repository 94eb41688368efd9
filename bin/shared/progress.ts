import type { Connection } from '../../account/connection/connection';
import type { ProgressListener } from '../../account/ports';
import { andMore, formatDuration, formatNumber } from '../../policy/format-text';
import type { Io, Output } from './io';

export interface Progress extends ProgressListener {
  /** Removes the bar, so that other text can be printed. The next `at` draws it again. */
  clear(): void;
}

/** What is counted. */
export interface ProgressFacts {
  /** What is counted, and what happens to it: `messages received`. */
  readonly what: string;
  /** How many there are in all. @default - unknown */
  readonly total?: number;
  /** What slows it down at the moment. Empty for nothing. @default - nothing is known to do so */
  readonly slowedBy?: () => string;
}

/** How often the progress in a terminal is drawn again, at most. */
const REDRAWN_AFTER_MS = 100;

/** Lines in a log file should be rare. */
const LOGGED_AFTER_MS = 10_000;

/** The width of a terminal that does not report it. */
const COLUMNS = 80;

const BAR = { least: 10, most: 30 } as const;

/** Moves the cursor to the start of the line, and clears what is right of it. */
const LINE_START = '\r';
const CLEAR = '\u{1b}[K';

const LINE_CLEARED = `${LINE_START}${CLEAR}`;

/** `1,200 of 120,000 messages received, 240 a second, 8 min 15 s left`. */
function factsText({ what, total, slowedBy }: ProgressFacts, done: number, elapsedMs: number): string {
  const count = total === undefined ? formatNumber(done) : `${formatNumber(done)} of ${formatNumber(total)}`;
  const perSecond = elapsedMs > 0 ? done / (elapsedMs / 1_000) : 0;
  const rate = perSecond > 0 ? [`${formatNumber(Number(perSecond.toPrecision(3)))} a second`] : [];
  const left = perSecond > 0 && total !== undefined && total > done ? Math.ceil((total - done) / perSecond) : 0;
  const slow = slowedBy?.() ?? '';
  const remaining = left > 0 ? [`${formatDuration(left)} left`] : [];
  return [`${count} ${what}`, ...rate, ...remaining, ...(slow === '' ? [] : [slow])].join(', ');
}

/** A bar that fits next to the text. Empty when there is too little room. */
function barText(done: number, total: number | undefined, room: number): string {
  const width = Math.min(room - 3, BAR.most);
  if (total === undefined || total <= 0 || width < BAR.least) return '';
  const full = Math.floor(Math.min(done / total, 1) * width);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] `;
}

function bar(output: Output, facts: ProgressFacts, nowMs: () => number): Progress {
  const startedAtMs = nowMs();
  let drawnAtMs: number | undefined;
  let slowedBy: string | undefined;
  return {
    at: done => {
      const atMs = nowMs();
      const slow = facts.slowedBy?.();
      if (drawnAtMs !== undefined && atMs - drawnAtMs < REDRAWN_AFTER_MS && slow === slowedBy) return;
      drawnAtMs = atMs;
      slowedBy = slow;
      // Some terminals begin a new line when the last column is filled.
      const columns = (output.columns ?? COLUMNS) - 1;
      const text = factsText(facts, done, atMs - startedAtMs);
      const line = `${barText(done, facts.total, columns - text.length)}${text}`.slice(0, columns);
      output.write(`${LINE_START}${line}${CLEAR}`);
    },
    clear: () => {
      if (drawnAtMs !== undefined) output.write(LINE_CLEARED);
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
      if (atMs - reportedAtMs < LOGGED_AFTER_MS) return;
      reportedAtMs = atMs;
      output.write(`${factsText(facts, done, atMs - startedAtMs)}\n`);
    },
    clear: () => {},
  };
}

/**
 * Shows the progress of a long operation: as a bar on a terminal, elsewhere as a line every ten seconds. A short operation
 * prints no line.
 */
export function progressOn(output: Output, facts: ProgressFacts, nowMs: () => number): Progress {
  return output.isTTY ? bar(output, facts, nowMs) : lines(output, facts, nowMs);
}

/** Runs an operation with progress, and removes the progress bar at its end, also after an error. */
export async function withProgress<T>(
  output: Output,
  facts: ProgressFacts,
  nowMs: () => number,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  return cleared(progressOn(output, facts, nowMs), work);
}

/** Runs an operation, and clears its progress at its end, also after an error. */
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

/** How many throttled actions fit on a line. */
const MAX_ACTIONS = 2;

/**
 * Shows how much a command has read, and which calls AWS throttles.
 * @param work gets the listener for what it reads with a connection
 */
export async function withReadProgress<T>(
  { io, nowMs }: { readonly io: Pick<Io, 'stderr'>; readonly nowMs: () => number },
  work: (readWith: (aws: Pick<Connection, 'throttling'>) => ProgressListener) => Promise<T>,
): Promise<T> {
  const counts = new Map<Pick<Connection, 'throttling'>, number>();
  const slowedBy = () => {
    const actions = new Set([...counts.keys()].flatMap(({ throttling }) => throttling?.actions ?? []));
    return actions.size === 0 ? '' : `AWS throttles ${andMore([...actions], MAX_ACTIONS)}`;
  };
  return withProgress(io.stderr, { what: 'resources read', slowedBy }, nowMs, progress => {
    const show = () => progress.at([...counts.values()].reduce((sum, it) => sum + it, 0));
    return work(aws => {
      counts.set(aws, 0);
      aws.throttling?.listen(show);
      return {
        at: count => {
          counts.set(aws, count);
          show();
        },
      };
    });
  });
}
