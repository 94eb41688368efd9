import { IN_FLIGHT_MARKS } from '../../policy/aws-limits';
import type { RetryPolicy } from '../../policy/delivery-policy/delivery-policy';
import { type PhaseSpan, phaseSpans } from '../../policy/delivery-policy/retry-schedule';
import { counted, formatDuration, formatNumber } from '../../policy/format-text';
import { secondsUntilInFlight } from '../../policy/relay/relay-limits';
import { type Column, table, wrap } from '../shared/terminal-text';
import { type DelayRun, type PolicyExplanation, runsOf } from './explanation';
import type { ShownPolicy, Subject } from './policy-subject';

const WIDTH = 80;

function numbersOf(first: number, last: number): string {
  return first === last ? formatNumber(first) : `${formatNumber(first)}-${formatNumber(last)}`;
}

function delayOf({ phase, retries }: PhaseSpan, policy: RetryPolicy): string {
  const { minDelayTarget, maxDelayTarget, backoffFunction } = policy;
  switch (phase) {
    case 'no-delay':
      return 'none';
    case 'pre-backoff':
      return `${minDelayTarget} s`;
    case 'backoff':
      return retries === 1 || minDelayTarget === maxDelayTarget
        ? `${minDelayTarget} s`
        : `${minDelayTarget} to ${maxDelayTarget} s, ${backoffFunction}`;
    case 'post-backoff':
      return `${maxDelayTarget} s`;
  }
}

export function phaseTable(policy: RetryPolicy): readonly string[] {
  const columns: readonly Column<PhaseSpan>[] = [
    { heading: 'Phase', align: 'left', cell: ({ phase }) => phase },
    { heading: 'Retries', align: 'right', cell: ({ retries }) => formatNumber(retries) },
    { heading: 'Numbers', align: 'left', cell: span => (span.retries === 0 ? '-' : retriesOf(span)) },
    { heading: 'Delay before each', align: 'left', cell: span => (span.retries === 0 ? '-' : delayOf(span, policy)) },
  ];
  return table(columns, phaseSpans(policy));
}

const retriesOf = ({ firstRetry, retries }: PhaseSpan): string => numbersOf(firstRetry, firstRetry + retries - 1);

const RETRIES: readonly Column<DelayRun>[] = [
  { heading: 'Retry', align: 'right', cell: ({ first, last }) => numbersOf(first.retry, last.retry) },
  { heading: 'Phase', align: 'left', cell: ({ phase }) => phase },
  { heading: 'Delay', align: 'right', cell: ({ first }) => `${formatNumber(first.delaySeconds)} s` },
  { heading: 'Happens at', align: 'left', cell: happensAt },
];

function happensAt({ first, last }: DelayRun): string {
  const from = formatDuration(first.atSeconds);
  const to = formatDuration(last.atSeconds);
  return from === to ? from : `${from} to ${to}`;
}

function retryTable({ retries }: PolicyExplanation): readonly string[] {
  return retries.length === 0 ? [] : ['', ...table(RETRIES, runsOf(retries))];
}

/** The number of attempts, and their total time. */
export function summary({ retries, totalSeconds }: Pick<PolicyExplanation, 'retries' | 'totalSeconds'>): string[] {
  if (retries.length === 0) return ['1 attempt and no retry: a failed delivery is final.'];
  const count = retries.length;
  const seconds = `${formatNumber(totalSeconds)} s`;
  const human = formatDuration(totalSeconds);
  return [
    `1 + ${formatNumber(count)} attempts: the first, then ${counted(count, 'retry', 'retries')}.`,
    `Total: ${seconds}${human === seconds ? '' : ` (${human})`} from first failure to last retry.`,
  ];
}

function requestLines({ throttlePolicy, requestPolicy }: ShownPolicy): string[] {
  const rate = throttlePolicy?.maxReceivesPerSecond;
  return [
    ...(rate === undefined
      ? []
      : [`Throttle: ${counted(rate, 'delivery', 'deliveries')} a second on average, for each subscription.`]),
    ...(requestPolicy === undefined ? [] : [`Content-Type: ${requestPolicy.headerContentType}`]),
  ];
}

/** The explanation as text, 80 columns wide if possible. */
export function explainText(subject: Subject, explanation: PolicyExplanation): string {
  const { title, policy, notes } = subject;
  const lines = [
    ...wrap(title, WIDTH),
    ...summary(explanation),
    '',
    ...phaseTable(policy.healthyRetryPolicy),
    ...retryTable(explanation),
    ...inFlightText(policy.healthyRetryPolicy, explanation),
    '',
    ...requestLines(policy).flatMap(line => wrap(line, WIDTH)),
    ...notes.flatMap(note => wrap(`* ${note}`, WIDTH)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Round rates in messages a second, for comparison with the user's own. */
const ROUND_RATES = [1, 10, 100, 1_000, 10_000, 100_000];

const MOST_ROUND_RATES = 3;

const INTRODUCTION = 'Time until messages in flight, if every attempt fails, by incoming rate:';

function untilCell(policy: RetryPolicy, messages: number): (perSecond: number) => string {
  return perSecond => {
    const seconds = secondsUntilInFlight(policy, messages, perSecond);
    return seconds === undefined ? 'never' : formatDuration(Math.round(seconds));
  };
}

/** Two significant digits for slow rates, so that they differ. */
function rateCell(perSecond: number): string {
  return formatNumber(perSecond >= 1 ? perSecond : Number(perSecond.toPrecision(2)));
}

/** When too many messages of a relay wait in its queue. Empty for a policy of SNS itself. */
function inFlightText(policy: RetryPolicy, { inFlight }: PolicyExplanation): readonly string[] {
  if (!inFlight) return [];
  const own = inFlight.map(({ failingPerSecond }) => failingPerSecond);
  const round = ROUND_RATES.filter(rate => rate > Math.max(...own)).slice(0, MOST_ROUND_RATES);
  const columns: readonly Column<number>[] = [
    { heading: 'Messages a second', align: 'right', cell: rateCell },
    {
      heading: `${formatNumber(IN_FLIGHT_MARKS.alarm)} (alarm)`,
      align: 'left',
      cell: untilCell(policy, IN_FLIGHT_MARKS.alarm),
    },
    {
      heading: `${formatNumber(IN_FLIGHT_MARKS.limit)} (full)`,
      align: 'left',
      cell: untilCell(policy, IN_FLIGHT_MARKS.limit),
    },
  ];
  return ['', INTRODUCTION, '', ...table(columns, [...own, ...round])];
}
