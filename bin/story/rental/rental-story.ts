import { Ledger, type LocalAws, type SubscriberAccount } from '../../../local';
import { type ChronicleLine, chronicle } from '../chronicle';
import {
  type AlarmRing,
  alarmRings,
  confirmOpsEmail,
  type MissedAlarm,
  mailbox,
  missedAlarm,
  type OpsMailbox,
} from './alarms';
import { type DeadLetterCause, deadLetterCauses } from './causes';
import { type RentalSimulation, rentalWorld } from './rental-world';
import { tellRentalDay } from './telling';
import { ACTS, DAY_ENDS, OPENING_HOURS, timeOfDayMs } from './timetable';

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
  /** Messages nobody has any more. */
  readonly lost: number;
  /** Messages that are still under way when the day is over, or that the books cannot account for. */
  readonly unaccounted: number;
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
  const { events } = aws.trace;
  const lines = [...acts, ...chronicle(events, tellRentalDay(events))].sort((a, b) => a.atMs - b.atMs);
  const ledger = Ledger.of(events).accounts(topicArn(aws));
  return {
    fromMs,
    untilMs,
    ordersTaken: world.shop.ordersTaken,
    lines,
    ledger,
    alarms: alarmRings(aws),
    causes: await deadLetterCauses(world),
    missedAlarm: await missedAlarm(aws, fromMs, untilMs),
    ...(address === undefined ? {} : { mailbox: mailbox(aws, address) }),
    lost: ledger.reduce((sum, { lost }) => sum + lost, 0),
    unaccounted: ledger.reduce((sum, { underWay }) => sum + Math.abs(underWay), 0),
  };
}

function openForBusiness({ aws, shop, fulfilment }: RentalSimulation, fromMs: number, untilMs: number): void {
  const { from, until, ordersPerHour } = OPENING_HOURS;
  aws.timeline.at(fromMs + timeOfDayMs(from), () => shop.open(ordersPerHour, fromMs + timeOfDayMs(until)));
  fulfilment.run(untilMs);
}

/** Puts every act on the timeline. Each line is written when what it says has been done. */
function scheduleActs(world: RentalSimulation, fromMs: number): readonly ChronicleLine[] {
  const { timeline } = world.aws;
  const lines: ChronicleLine[] = [];
  const say = (text: string): void => {
    lines.push({ atMs: timeline.nowMs, mark: 'act', text });
  };
  for (const act of ACTS) {
    timeline.at(fromMs + timeOfDayMs(act.from), async () => {
      const putRight = await act.happen(world);
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
