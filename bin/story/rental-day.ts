import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { Ledger, type LocalAws, type SubscriberAccount } from '../../local';
import { MINUTE_MS } from '../../policy/time-units';
import {
  type AlarmRing,
  alarmRings,
  confirmOpsEmail,
  deadLetterCauses,
  type MissedAlarm,
  mailbox,
  missedAlarm,
  type OpsMailbox,
  type QueueCause,
} from './causes';
import { type ChronicleLine, chronicle, rentalDayRules } from './chronicle';
import type { FulfilmentProcess } from './fulfilment-process';
import { type RentalSimulation, startRentalSimulation } from './rental-simulation';

/** How the day went. */
export interface RentalStory {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly ordersTaken: number;
  /** How many orders the fulfilment system has fulfilled. */
  readonly fulfilled: number;
  readonly lines: readonly ChronicleLine[];
  readonly ledger: readonly SubscriberAccount[];
  readonly alarms: readonly AlarmRing[];
  readonly causes: readonly QueueCause[];
  readonly missedAlarm: MissedAlarm;
  /** Undefined where the stack was synthesized without `opsEmail`. */
  readonly mailbox?: OpsMailbox;
  /** Messages that are in no queue and were not delivered. */
  readonly lost: number;
  /** Messages that are still under way when the day is over, or that the books cannot account for. */
  readonly unaccounted: number;
}

/**
 * Plays the day.
 *
 * @param aws the rental backend, at midnight
 * @param progress receives the hour of the day
 */
export async function playRentalDay(aws: LocalAws, progress: (hour: number) => void): Promise<RentalStory> {
  const { simulation, address, acts, fromMs, untilMs } = await beginRentalDay(aws);
  for (let hour = 1; aws.nowMs < untilMs; hour += 1) {
    await aws.advance({ hours: 1 });
    progress(hour);
  }
  const { events } = aws.trace;
  const lines = [...acts, ...chronicle(events, rentalDayRules(events))].sort((a, b) => a.atMs - b.atMs);
  const ledger = Ledger.of(events).accounts(topicArn(aws));
  return {
    fromMs,
    untilMs,
    ordersTaken: simulation.shop.ordersTaken,
    fulfilled: fulfilledOrders(simulation.fulfilment),
    lines,
    ledger,
    alarms: alarmRings(aws),
    causes: await deadLetterCauses(simulation),
    missedAlarm: await missedAlarm(aws, fromMs, untilMs),
    ...(address === undefined ? {} : { mailbox: mailbox(aws, address) }),
    lost: ledger.reduce((sum, { lost }) => sum + lost, 0),
    unaccounted: ledger.reduce((sum, { underWay }) => sum + Math.abs(underWay), 0),
  };
}

/** The day, before its first order. Everything that happens is on the timeline. */
interface BegunDay {
  readonly simulation: RentalSimulation;
  readonly address: string | undefined;
  /** Grows while the day is played. */
  readonly acts: readonly ChronicleLine[];
  readonly fromMs: number;
  readonly untilMs: number;
}

/** @param aws the rental backend, at midnight */
export async function beginRentalDay(aws: LocalAws): Promise<BegunDay> {
  const fromMs = aws.nowMs;
  const untilMs = rentalDayEnd(fromMs);
  const simulation = await startRentalSimulation(aws);
  const address = confirmOpsEmail(aws);
  openForBusiness(simulation, fromMs, untilMs);
  return { simulation, address, acts: scheduleActs(simulation, fromMs), fromMs, untilMs };
}

/** What happens during the day, in its order. @param fromMs midnight */
export function rentalDayMarks(fromMs: number): readonly { readonly atMs: number; readonly says: string }[] {
  return ACTS.flatMap(({ from, until, begins, ends }) => [
    { atMs: fromMs + timeOfDayMs(from), says: begins },
    { atMs: fromMs + timeOfDayMs(until), says: ends },
  ]).sort((one, other) => one.atMs - other.atMs);
}

/** When the day is over. */
export function rentalDayEnd(fromMs: number): number {
  return fromMs + timeOfDayMs(DAY_ENDS);
}

/** An order that was received twice counts once. */
function fulfilledOrders({ log }: FulfilmentProcess): number {
  return new Set(log.filter(({ message }) => message === 'fulfilled').map(({ messageId }) => messageId)).size;
}

function openForBusiness({ aws, shop, fulfilment }: RentalSimulation, fromMs: number, untilMs: number): void {
  const { from, until, ordersPerHour } = OPENING_HOURS;
  aws.timeline.at(fromMs + timeOfDayMs(from), () => shop.open(ordersPerHour, fromMs + timeOfDayMs(until)));
  aws.timeline.at(untilMs, () => fulfilment.stop());
}

/** Puts every act on the timeline. Each line is written when what it says has been done. */
function scheduleActs(simulation: RentalSimulation, fromMs: number): readonly ChronicleLine[] {
  const { timeline } = simulation.aws;
  const lines: ChronicleLine[] = [];
  const say = (text: string): void => {
    lines.push({ atMs: timeline.nowMs, mark: 'act', text });
  };
  for (const act of ACTS) {
    timeline.at(fromMs + timeOfDayMs(act.from), async () => {
      const putRight = await act.happen(simulation);
      say(act.begins);
      timeline.at(fromMs + timeOfDayMs(act.until), async () => {
        await putRight();
        say(act.ends);
      });
    });
  }
  return lines;
}

function topicArn({ place: { partition, region, account } }: LocalAws): string {
  return `arn:${partition}:sns:${region}:${account}:Rental-Orders`;
}

/** Something that goes wrong for a while. */
interface Act {
  /** Time of day, `HH:MM`. */
  readonly from: string;
  readonly until: string;
  /** What the timeline says when it begins, and when it is over. */
  readonly begins: string;
  readonly ends: string;
  /** Brings it about; answers how to put it right again. */
  happen(simulation: RentalSimulation): Promise<PutRight>;
}

type PutRight = () => void | Promise<void>;

/** When customers order, and how many of them an hour on average. */
const OPENING_HOURS = { from: '06:00', until: '22:00', ordersPerHour: 30 } as const;

/** The day is over when the last retry, alarm and poll have had their time. */
const DAY_ENDS = '24:00';

const policyTakenAway: Act = {
  from: '08:00',
  until: '08:30',
  begins: 'An operator removes the queue policy of Rental-Fulfilment: SNS may no longer send to it.',
  ends: 'The queue policy is restored.',
  async happen({ sqs, queues }) {
    const { url: QueueUrl } = queues.fulfilment;
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policy'] }));
    const set = async (Policy: string): Promise<void> => {
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    };
    await set('');
    return () => set(Attributes?.Policy ?? '');
  },
};

const billingDown: Act = {
  from: '10:00',
  until: '13:00',
  begins: 'The external billing system goes down: it answers 503.',
  ends: 'The billing system is back.',
  async happen({ failBilling }) {
    return failBilling();
  },
};

const poisonOrders: Act = {
  from: '15:00',
  until: '15:20',
  begins: 'A partner sells a vehicle class the fleet does not have: poison for the fulfilment system.',
  ends: 'The partner stops.',
  async happen({ shop }) {
    shop.sellPoison(true);
    return () => shop.sellPoison(false);
  },
};

const sqsDown: Act = {
  from: '17:00',
  until: '17:20',
  begins: 'SQS itself answers 503 to every call.',
  ends: 'SQS is back.',
  async happen({ aws }) {
    aws.faults.set({ service: 'sqs' });
    return () => aws.faults.clear();
  },
};

/** A bad day at Rental Orders, one thing at a time. */
const ACTS: readonly Act[] = [policyTakenAway, billingDown, poisonOrders, sqsDown];

/** Milliseconds from midnight to a time of day. */
function timeOfDayMs(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return ((hours ?? Number.NaN) * 60 + (minutes ?? Number.NaN)) * MINUTE_MS;
}
