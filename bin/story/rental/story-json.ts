import { isoInstant, nameInArn } from '../../../local';
import type { RentalStory } from './rental-story';

/** The day for machines: the ledger, the alarms and the causes. */
export function storyJson(story: RentalStory, seed: string): string {
  const { fromMs, untilMs, ordersTaken, ledger, alarms, causes, missedAlarm, mailbox, lost, unaccounted } = story;
  return JSON.stringify({
    seed,
    from: isoInstant(fromMs),
    until: isoInstant(untilMs),
    ordersTaken,
    ledger: ledger.map(({ endpoint, protocol, published, delivered, deadLettered, filteredOut, lost, underWay }) => ({
      subscriber: nameInArn(endpoint),
      protocol,
      published,
      delivered,
      deadLettered,
      filteredOut,
      lost,
      underWay,
    })),
    alarms: alarms.map(({ alarm, fromMs, untilMs }) => ({
      alarm,
      from: isoInstant(fromMs),
      until: untilMs === undefined ? null : isoInstant(untilMs),
    })),
    causes,
    missedAlarm,
    mailbox: mailbox ?? null,
    lost,
    unaccounted,
  });
}
