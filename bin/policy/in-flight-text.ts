import type { RetryPolicy } from '../../policy/delivery-policy/delivery-policy';
import { IN_FLIGHT_MARKS } from '../../policy/limits/queue-limits';
import { secondsUntilInFlight } from '../../policy/relay/in-flight';
import { formatDuration, formatNumber } from '../../policy/wording';
import { type Column, table } from '../table';
import type { Explanation } from './explanation';

/** Rates, in messages a second, that are easy to compare one's own with. */
const ROUND_RATES = [1, 10, 100, 1_000, 10_000, 100_000];

/** Round rates shown behind those of the policy itself. */
const MOST_ROUND_RATES = 3;

const INTRODUCTION = 'In flight while every attempt fails, by how many messages come in:';

function untilCell(policy: RetryPolicy, messages: number): (perSecond: number) => string {
  return perSecond => {
    const seconds = secondsUntilInFlight(policy, messages, perSecond);
    return seconds === undefined ? 'never' : formatDuration(Math.round(seconds));
  };
}

/** Up to three digits that count, so that slow rates are told apart. */
function rateCell(perSecond: number): string {
  return formatNumber(perSecond >= 1 ? perSecond : Number(perSecond.toPrecision(2)));
}

/** Says when the messages of a relay that wait become too many for its queue; nothing of a policy SNS carries out. */
export function inFlightText(policy: RetryPolicy, { inFlight }: Explanation): readonly string[] {
  if (!inFlight) return [];
  const own = inFlight.map(({ failingPerSecond }) => failingPerSecond);
  const round = ROUND_RATES.filter(rate => rate > Math.max(...own)).slice(0, MOST_ROUND_RATES);
  const columns: readonly Column<number>[] = [
    { heading: 'Messages a second', align: 'right', cell: rateCell },
    { heading: '80,000 (alarm)', align: 'left', cell: untilCell(policy, IN_FLIGHT_MARKS.alarm) },
    { heading: '120,000 (full)', align: 'left', cell: untilCell(policy, IN_FLIGHT_MARKS.limit) },
  ];
  return ['', INTRODUCTION, '', ...table(columns, [...own, ...round])];
}
