import { Ledger, type LocalAws, type SubscriberAccount } from '../../../local';
import { type ChronicleLine, chronicle } from '../chronicle';
import { type DeadLetterCause, deadLetterCauses } from './causes';
import { type RentalWorld, rentalWorld } from './rental-world';
import { nameOf, tellRentalDay } from './telling';
import { ACTS, DAY_ENDS, OPENING_HOURS, timeOfDayMs } from './timetable';

/** An alarm that went off, and when it was over. */
export interface AlarmRing {
  readonly alarm: string;
  readonly fromMs: number;
  /** Undefined while it lasts. */
  readonly untilMs?: number;
}

/** What an alarm on the other metric would have seen of the queue SQS itself moves dead letters to. */
export interface MissedAlarm {
  readonly queue: string;
  readonly deadLetters: number;
  /** `NumberOfMessagesSent`, summed over the day. */
  readonly messagesSent: number;
}

/** What the people who are told of alarms found in their mailbox. */
export interface OpsMailbox {
  readonly address: string;
  readonly messages: number;
}

/** How the day went. */
export interface RentalStory {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly ordersTaken: number;
  readonly lines: readonly ChronicleLine[];
  readonly ledger: readonly SubscriberAccount[];
  readonly alarms: readonly AlarmRing[];
  readonly causes: readonly DeadLetterCause[];
  readonly missedAlarm: MissedAlarm;
  /** Undefined where the stack was synthesized without `opsEmail`. */
  readonly mailbox?: OpsMailbox;
  /** Messages nobody has any more, and messages the books cannot account for. */
  readonly lost: number;
}

/**
 * Plays the day.
 *
 * @param aws the rental backend, at midnight
 * @param progress is told the hour, as the day goes by
 */
export async function playRentalDay(aws: LocalAws, progress: (hour: number) => void): Promise<RentalStory> {
  const fromMs = aws.nowMs;
  const untilMs = fromMs + timeOfDayMs(DAY_ENDS);
  const world = await rentalWorld(aws);
  const address = confirmOpsEmail(aws);
  openForBusiness(world, fromMs, untilMs);
  const acts = scheduleActs(world, fromMs);
  for (let hour = 1; aws.nowMs < untilMs; hour += 1) {
    await aws.advance({ hours: 1 });
    progress(hour);
  }
  const { happenings } = aws.trace;
  const lines = [...acts, ...chronicle(happenings, tellRentalDay(happenings))].sort((a, b) => a.atMs - b.atMs);
  const ledger = Ledger.of(happenings).accounts(topicArn(aws));
  return {
    fromMs,
    untilMs,
    ordersTaken: world.shop.ordersTaken,
    lines,
    ledger,
    alarms: alarmRings(aws),
    causes: await deadLetterCauses(world),
    missedAlarm: missedAlarm(world, fromMs, untilMs),
    ...(address === undefined ? {} : { mailbox: mailbox(aws, address) }),
    lost: ledger.reduce((sum, { lost, underWay }) => sum + lost + Math.abs(underWay), 0),
  };
}

function openForBusiness({ aws, shop, fulfilment }: RentalWorld, fromMs: number, untilMs: number): void {
  const { from, until, ordersPerHour } = OPENING_HOURS;
  aws.timeline.at(fromMs + timeOfDayMs(from), () => shop.open(ordersPerHour, fromMs + timeOfDayMs(until)));
  fulfilment.run(untilMs);
}

/** Puts every act on the timeline. The lines are what the audience is told of them. */
function scheduleActs(world: RentalWorld, fromMs: number): readonly ChronicleLine[] {
  return ACTS.flatMap(act => {
    const beginsAt = fromMs + timeOfDayMs(act.from);
    const endsAt = fromMs + timeOfDayMs(act.until);
    world.aws.timeline.at(beginsAt, () => act.begin(world));
    world.aws.timeline.at(endsAt, () => act.end(world));
    return [
      { atMs: beginsAt, mark: 'act' as const, text: act.begins },
      { atMs: endsAt, mark: 'act' as const, text: act.ends },
    ];
  });
}

/** Somebody follows the link in the e-mail that asks whether to subscribe. Answers whose mailbox it is. */
function confirmOpsEmail({ services: { sns } }: LocalAws): string | undefined {
  const address = sns.pendingConfirmations.find(({ protocol }) => protocol === 'email')?.endpoint;
  if (address !== undefined) sns.confirm(address);
  return address;
}

function mailbox({ services: { sns } }: LocalAws, address: string): OpsMailbox {
  const notifications = sns.recipients.receipts(address).filter(({ token }) => token === undefined);
  return { address, messages: notifications.length };
}

function topicArn({ place: { partition, region, account } }: LocalAws): string {
  return `arn:${partition}:sns:${region}:${account}:Rental-Orders`;
}

function alarmRings(aws: LocalAws): readonly AlarmRing[] {
  const rings: AlarmRing[] = [];
  for (const happening of aws.trace.happenings) {
    if (happening.type !== 'cloudwatch.alarm-state-changed') continue;
    const { alarmName, from, to, atMs } = happening;
    const current = rings.findLastIndex(({ alarm }) => alarm === alarmName);
    const ring = rings[current];
    if (from === 'ALARM' && ring) rings[current] = { ...ring, untilMs: atMs };
    if (to === 'ALARM') rings.push({ alarm: alarmName, fromMs: atMs });
  }
  return rings;
}

function missedAlarm({ aws }: RentalWorld, fromMs: number, untilMs: number): MissedAlarm {
  const queue = 'Rental-Fulfilment-DLQ';
  const deadLetters = aws.trace.happenings.filter(
    happening => happening.type === 'sqs.dead-lettered' && nameOf(happening.deadLetterQueueArn) === queue,
  ).length;
  const { cloudWatch } = aws.services;
  const { Datapoints = [] } = cloudWatch.call('GetMetricStatistics', cloudWatch.owner, {
    Namespace: 'AWS/SQS',
    MetricName: 'NumberOfMessagesSent',
    Dimensions: [{ Name: 'QueueName', Value: queue }],
    StartTime: new Date(fromMs),
    EndTime: new Date(untilMs),
    Period: 86_400,
    Statistics: ['Sum'],
  });
  return { queue, deadLetters, messagesSent: Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0) };
}
