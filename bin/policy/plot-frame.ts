import { type ScaleLinear, scaleLinear } from 'd3-scale';
import type { RetryPolicy } from '../../policy/delivery-policy/delivery-policy';
import { type PhaseSpan, phaseSpans } from '../../policy/delivery-policy/retry-schedule';

export const PLOT_WIDTH = 860;
export const PLOT_LEFT = 68;
export const PLOT_RIGHT = PLOT_WIDTH - 28;

/** The part of the picture above the phase labels: title, times and legend. */
const HEAD = 84;
const LABEL_ROW = 17;
const BODY = 280;
const FOOT = 56;
const CHARACTER = 6.7;
const LABEL_GAP = 8;

/** Retries drawn at most: beyond that, the phase that only repeats itself is cut off behind its first few. */
const MOST_DRAWN = 120;
const DRAWN_OF_CUT_PHASE = 20;

/** A phase's name and where it is written: labels of narrow phases go down by steps, so that none covers another. */
export interface PhaseLabel {
  readonly span: PhaseSpan;
  readonly text: string;
  /** The left edge of its phase, in pixels. */
  readonly left: number;
  readonly row: number;
}

/** Where everything is drawn, in pixels. */
export interface Frame {
  readonly policy: RetryPolicy;
  /** The number of the last retry drawn. */
  readonly shown: number;
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
  readonly top: number;
  readonly bottom: number;
  readonly height: number;
  readonly labels: readonly PhaseLabel[];
}

/** What a label takes, roughly: the picture is drawn without measuring fonts. */
export function textWidth(text: string): number {
  return text.length * CHARACTER;
}

function lastDrawn({ numRetries, numMaxDelayRetries }: RetryPolicy): number {
  const untilCut = numRetries - numMaxDelayRetries + DRAWN_OF_CUT_PHASE;
  return numRetries <= MOST_DRAWN ? numRetries : Math.min(numRetries, untilCut);
}

/**
 * Writes each label in the highest row where it covers no other, and where the line that leads down to its phase crosses
 * none.
 */
function placeLabels(policy: RetryPolicy, x: ScaleLinear<number, number>): PhaseLabel[] {
  const ends: number[] = [];
  return phaseSpans(policy)
    .filter(({ retries }) => retries > 0)
    .map(span => {
      const left = x(span.firstRetry - 0.5);
      const text = `${span.phase} (${span.retries.toLocaleString('en-US')})`;
      const isFree = (row: number) => ends.slice(row).every(end => end + LABEL_GAP <= left);
      let row = 0;
      while (!isFree(row)) row++;
      ends[row] = left + textWidth(text);
      return { span, text, left, row };
    });
}

/** Lays the picture of `policy` out. */
export function frameOf(policy: RetryPolicy): Frame {
  const shown = lastDrawn(policy);
  const x = scaleLinear([0.5, Math.max(shown, 1) + 0.5], [PLOT_LEFT, PLOT_RIGHT]);
  const labels = placeLabels(policy, x);
  const top = HEAD + LABEL_ROW * Math.max(0, ...labels.map(({ row }) => row + 1));
  const bottom = top + BODY;
  const y = scaleLinear([0, policy.maxDelayTarget], [bottom, top + 12]).nice(6);
  return { policy, shown, x, y, top, bottom, height: bottom + FOOT, labels };
}

/** The baseline of the labels of one row. */
export function labelBaseline({ top, labels }: Frame, row: number): number {
  const rows = Math.max(...labels.map(label => label.row + 1));
  return top - (rows - row) * LABEL_ROW + 11;
}
